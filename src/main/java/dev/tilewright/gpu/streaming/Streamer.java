package dev.tilewright.gpu.streaming;

import dev.tilewright.NotNull;
import dev.tilewright.Progress;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.KernelTemplate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Moves arrays that may be larger than a GPU through one or several, slab by slab: copies up, work and copies down of
 * different slabs at the same time. Immutable: its methods that set something give another one; it holds nothing that
 * had to be closed, and may be used by several threads.
 *
 * {@snippet :
 * ElementwiseKernel scale = TensorCopy.of(ElementType.F32).tile(64, 32).step(ElementStep.SCALE).build();
 * Streamer.on(gpu).progress(bar).run(scale, Scalars.of("scalar", 2.5), Shape.of(rows, columns), input, output);
 * }
 *
 * <p>Fastest are page-locked memory on both sides, from {@link Gpu#pinned} or {@link Gpu#register}: the GPU copies by
 * itself. Arrays, ordinary and mapped memory and files are copied to and from page-locked memory by several threads.
 */
public final class Streamer {
    private final List<Gpu> gpus;
    private final StreamSizes sizes;
    private final Progress progress;

    private Streamer(List<Gpu> gpus, StreamSizes sizes, Progress progress) {
        this.gpus = gpus;
        this.sizes = sizes;
        this.progress = progress;
    }

    /**
     * A streamer on these GPUs; each takes the next slab when it has room.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Streamer on(List<Gpu> gpus) {
        NotNull.all("gpus", gpus);
        if (gpus.isEmpty()) {
            throw new IllegalArgumentException("slabs go through at least one GPU, got none");
        }
        return new Streamer(List.copyOf(gpus), StreamSizes.MEASURED, Progress.NONE);
    }

    /** On these GPUs. */
    public static Streamer on(Gpu... gpus) {
        Objects.requireNonNull(gpus, "gpus");
        return on(Arrays.asList(gpus));
    }

    /**
     * About how many bytes of its largest source or target a slab has; whole rows, at least one. Each slot takes as
     * much of the GPU's memory for each source and target. Default: what was found fastest.
     */
    public Streamer slab(long bytes) {
        return new Streamer(gpus, sizes.slab(bytes), progress);
    }

    /** How many slabs a GPU has under way at once, at least 1. Default: what was found fastest. */
    public Streamer slots(int count) {
        return new Streamer(gpus, sizes.slots(count), progress);
    }

    /** How many threads copy for each GPU where memory is not page-locked, at least 1. Default: as cores allow. */
    public Streamer threads(int count) {
        return new Streamer(gpus, sizes.threads(count), progress);
    }

    /**
     * Who is told how far a run is: bytes of all sources, or of all targets if those are more. It is called by one
     * thread at a time, though not always the same, and holds up the others; its exception ends the run.
     */
    public Streamer progress(Progress listener) {
        Objects.requireNonNull(listener, "listener");
        return new Streamer(gpus, sizes, listener);
    }

    /**
     * Moves an array through a kernel with one source, and waits for the end.
     *
     * @param scalars the scalars of its step
     * @param shape the array's dimensions, outermost first
     * @param input the array, dense and row-major: exactly its bytes
     * @param output for the result: exactly its bytes. It may be the input, if their elements have the same size
     * @throws RuntimeException as {@link #start(Launchable, Scalars, List, List, HostTarget)} and {@link
     * StreamRun#await}
     */
    public StreamSummary run(Launchable kernel, Scalars scalars, List<Long> shape, MemorySegment input,
            MemorySegment output) {
        NotNull.all("kernel, scalars, shape, input, output", kernel, scalars, shape, input, output);
        return run(kernel, scalars, shape, List.of(HostSource.of(input)), HostTarget.of(output));
    }

    /** Moves an array, or several of one shape, through a kernel, and waits for the end. */
    public StreamSummary run(Launchable kernel, Scalars scalars, List<Long> shape, List<HostSource> inputs,
            HostTarget output) {
        NotNull.all("kernel, scalars, shape, inputs, output", kernel, scalars, shape, inputs, output);
        return start(kernel, scalars, shape, inputs, output).await();
    }

    /**
     * A launch of a kernel over arrays that may be larger than a GPU, whose arrays and scalars are to be given by name.
     *
     * @throws IllegalArgumentException if the kernel's arrays cannot be cut into rows; the message says why
     */
    public StreamedLaunch launch(KernelTemplate kernel) {
        Objects.requireNonNull(kernel, "kernel");
        return new StreamedLaunch(this, kernel);
    }

    List<Gpu> gpus() {
        return gpus;
    }

    /** Moves rows through work of the application's own, and waits for the end. */
    public StreamSummary run(Rows rows, SlabWork work) {
        return start(rows, work).await();
    }

    /**
     * Starts to move an array, or several of one shape, through a kernel that treats every element by itself.
     *
     * @param scalars the scalars of its step
     * @param shape the arrays' dimensions, outermost first
     * @param inputs as many as the kernel has sources
     * @throws IllegalArgumentException if the kernel is no elementwise one, a source or the target is of
     *     another size than the array, or overlaps another
     * @throws dev.tilewright.BadRequestException if the kernel cannot move an array of such a shape, or scalars are
     * missing
     * @throws UncheckedIOException if a file cannot be opened
     */
    public StreamRun start(Launchable kernel, Scalars scalars, List<Long> shape, List<HostSource> inputs,
            HostTarget output) {
        NotNull.all("kernel, scalars, shape, inputs, output", kernel, scalars, shape, inputs, output);
        List<Integer> tile = kernel.elementwiseTile().orElseThrow(() -> new IllegalArgumentException("kernel '"
                + kernel.program().name() + "' does not treat every element by itself, so that its arrays cannot be "
                + "cut into slabs: cut them in work of your own, with run(Rows, SlabWork)"));
        List<Launchable.Array> arrays = kernel.arrays();
        if (inputs.size() != arrays.size() - 1) {
            throw new IllegalArgumentException("kernel '" + kernel.program().name() + "' has "
                    + (arrays.size() - 1) + " sources, got " + inputs.size());
        }
        if (shape.contains(0L)) {
            kernel.launch(shape, scalars);
            Rows none = Rows.of(0);
            for (HostSource input : inputs) {
                none = none.from(input, 1);
            }
            return start(none.to(output, 1), _ -> _ -> { });
        }
        ArrayCut cut = ArrayCut.of(kernel, tile, shape, sizes.mostBytes());
        KernelWork work = new KernelWork(kernel, scalars, cut);
        Rows rows = Rows.of(cut.rows()).cutAtMultiplesOf(cut.multiple());
        for (int i = 0; i < inputs.size(); i++) {
            rows = rows.from(inputs.get(i), cut.rowElements() * arrays.get(i).type().bytes());
        }
        rows = rows.to(output, cut.rowElements() * arrays.getLast().type().bytes());
        return start(rows, work, job -> {
            // All slabs have one of these shapes.
            work.launch(job.rowsPerSlab());
            if (job.rows().count() % job.rowsPerSlab() != 0) {
                work.launch(job.rows().count() % job.rowsPerSlab());
            }
        });
    }

    /**
     * Starts to move rows through work of the application's own.
     *
     * @throws IllegalArgumentException if sources and targets overlap but are not the same, or only one thread may use
     * one
     * @throws UncheckedIOException if a file cannot be opened
     */
    public StreamRun start(Rows rows, SlabWork work) {
        NotNull.all("rows, work", rows, work);
        return start(rows, work, _ -> { });
    }

    /** @param check throws where the work cannot be done, before anything is started */
    StreamRun start(Rows rows, SlabWork work, Consumer<Job> check) {
        Overlaps.refuse(rows);
        long begin = System.nanoTime();
        Job job;
        try {
            job = new Job(gpus, rows, sizes, work, progress);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            check.accept(job);
        } catch (RuntimeException | Error e) {
            job.fail(e);
            job.end();
            throw e;
        }
        CompletableFuture<StreamSummary> end = new CompletableFuture<>();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger running = new AtomicInteger();
        Runnable atEnd = () -> {
            if (running.decrementAndGet() == 0) {
                end(job, begin, end);
            }
        };
        for (int g = 0; g < gpus.size(); g++) {
            int slots = job.slots();
            int workers = job.workers();
            for (int w = 0; w < workers; w++) {
                int from = (int) ((long) slots * w / workers);
                int until = (int) ((long) slots * (w + 1) / workers);
                Worker worker = new Worker(job, g, from, until - from, atEnd);
                threads.add(Thread.ofPlatform().daemon().name("tilewright-stream-" + g + "." + w).unstarted(worker));
            }
        }
        running.set(threads.size() + 1);
        StreamRun run = new StreamRun(job, end);
        try {
            for (Thread thread : threads) {
                thread.start();
            }
        } catch (Error e) {
            // No more threads can be started: the running ones stop.
            job.fail(e);
            running.addAndGet(-(int) threads.stream().filter(t -> t.getState() == Thread.State.NEW).count());
        }
        atEnd.run();
        return run;
    }

    private static void end(Job job, long begin, CompletableFuture<StreamSummary> end) {
        Throwable failure = job.end();
        switch (failure) {
            case null -> end.complete(job.summary(Duration.ofNanos(System.nanoTime() - begin)));
            case IOException e -> end.completeExceptionally(new UncheckedIOException(e));
            case RuntimeException e -> end.completeExceptionally(e);
            case Error e -> end.completeExceptionally(e);
            default -> end.completeExceptionally(new IllegalStateException(failure));
        }
    }

    /** {@code streamer on [GPU 0 (NVIDIA H200)]}. */
    @Override
    public String toString() {
        return "streamer on " + gpus;
    }
}
