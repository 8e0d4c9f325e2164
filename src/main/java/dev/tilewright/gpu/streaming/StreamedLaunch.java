package dev.tilewright.gpu.streaming;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayArguments;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.array.KernelTemplate;
import dev.tilewright.program.array.RowCut;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A launch of a kernel over arrays that may be larger than a GPU, such as a tile kernel's: arrays and scalars by name,
 * as in any other launch. What the kernel writes is cut into rows ({@link KernelTemplate#rowCut}), and what it reads of
 * the same rows with it; all other arrays are copied to the GPU once for each slot.
 *
 * {@snippet :
 * Streamer.on(gpu).launch(RowKernels.softmax(ValueType.F32)).set("x", x, rows, columns).set("y", y, rows, columns)
 *         .run();
 * }
 *
 * <p>One thread at a time fills and runs it.
 */
public final class StreamedLaunch implements ArrayLaunch<StreamedLaunch> {
    private final Streamer streamer;
    private final KernelTemplate kernel;
    private final RowCut cut;
    private final ArrayArguments arguments;
    private final Map<String, Number> numbers = new HashMap<>();

    StreamedLaunch(Streamer streamer, KernelTemplate kernel) {
        this.streamer = streamer;
        this.kernel = kernel;
        this.cut = kernel.rowCut();
        this.arguments = new ArrayArguments(kernel);
    }

    @Override
    public List<Launchable.Array> arrays() {
        return kernel.arrays();
    }

    @Override
    public StreamedLaunch set(String name, MemorySegment memory, ArrayShape shape) {
        NotNull.all("name, memory, shape", name, memory, shape);
        arguments.set(name, memory, shape);
        if (cut.cuts(name) && !shape.equals(ArrayShape.dense(shape.extents()))) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "': array '" + name + "' of " + shape
                    + " is cut into rows, which must follow each other: give it without gaps");
        }
        return this;
    }

    @Override
    public StreamedLaunch scalar(String name, Number number) {
        NotNull.all("name, number", name, number);
        arguments.scalar(name, number);
        numbers.put(name, number);
        return this;
    }

    /** Moves the arrays through the kernel and waits for the end. */
    @Override
    public void run() {
        start().ifPresent(StreamRun::await);
    }

    /**
     * Starts to move the arrays through the kernel; nothing is started where what it writes is empty.
     *
     * @throws IllegalArgumentException if an array or a scalar is missing, arrays disagree in the number of rows, or a
     *     part of them cannot be launched
     */
    public Optional<StreamRun> start() {
        Map<String, ArrayShape> shapes = arguments.shapes();
        Map<String, MemorySegment> memory = arguments.memory();
        long count = count(shapes);
        if (cut.written().stream().allMatch(name -> shapes.get(name).reach() == 0)) {
            return Optional.empty();
        }
        Rows rows = Rows.of(count).cutAtMultiplesOf(cut.multiple());
        List<String> sources = cut.read().stream().filter(name -> shapes.get(name).reach() > 0).toList();
        for (String name : sources) {
            rows = rows.from(HostSource.of(memory.get(name)), memory.get(name).byteSize() / count);
        }
        for (String name : cut.written()) {
            rows = rows.to(HostTarget.of(memory.get(name)), memory.get(name).byteSize() / count);
        }
        Work work = new Work(shapes, memory, sources, Map.copyOf(numbers), arguments.scalars());
        return Optional.of(streamer.start(rows, work, job -> {
            // All slabs have one of these numbers of rows.
            work.require(job.rowsPerSlab());
            work.require(Math.max(1, count % job.rowsPerSlab()));
        }));
    }

    private long count(Map<String, ArrayShape> shapes) {
        String first = cut.written().getFirst();
        long count = shapes.get(first).extents().getFirst();
        kernel.arrays().stream().map(Launchable.Array::name).filter(cut::cuts).filter(name ->
                shapes.get(name).extents().getFirst() != count).findFirst().ifPresent(name -> {
                    throw new IllegalArgumentException("kernel '" + kernel.name() + "': array '" + name + "' has "
                            + shapes.get(name).extents().getFirst() + " rows, and '" + first + "' has " + count);
                });
        return count;
    }

    /** {@code streamed launch of kernel 'softmax'}. */
    @Override
    public String toString() {
        return "streamed launch of kernel '" + kernel.name() + "'";
    }

    /** The kernel as the work of slabs. @param sources arrays that slabs bring, in order */
    private final class Work implements SlabWork {
        private final Map<String, ArrayShape> shapes;
        private final Map<String, MemorySegment> memory;
        private final List<String> sources;
        private final Map<String, Number> numbers;
        private final Scalars scalars;

        private Work(Map<String, ArrayShape> shapes, Map<String, MemorySegment> memory, List<String> sources,
                Map<String, Number> numbers, Scalars scalars) {
            this.shapes = shapes;
            this.memory = memory;
            this.sources = sources;
            this.numbers = numbers;
            this.scalars = scalars;
        }

        private ArrayShape shape(String name, long rows) {
            ArrayShape shape = shapes.get(name);
            List<Long> extents = new ArrayList<>(shape.extents());
            extents.set(0, rows);
            return cut.cuts(name) ? new ArrayShape(extents, shape.strides()) : shape;
        }

        private void require(long rows) {
            Map<String, ArrayShape> some = new HashMap<>();
            shapes.keySet().forEach(name -> some.put(name, shape(name, rows)));
            streamer.gpus().forEach(gpu -> kernel.launch(some, scalars, gpu.name(), gpu.target(),
                    gpu.info().multiprocessors()));
        }

        @Override
        public SlabStep open(Slot slot) {
            return new Step(slot);
        }

        /** What is done in one slot. */
        private final class Step implements SlabStep {
            private final Slot slot;
            private final ArrayKernel loaded;
            private final Map<String, Buffer<byte[]>> whole = new HashMap<>();
            private long rows = -1;
            private KernelLaunch prepared;

            private Step(Slot slot) {
                this.slot = slot;
                this.loaded = slot.gpu().load(kernel);
                try {
                    Gpu gpu = slot.gpu();
                    memory.forEach((name, segment) -> {
                        if (!sources.contains(name) && !cut.written().contains(name)) {
                            whole.put(name, gpu.bytes(segment.byteSize()));
                            slot.stream().upload(segment, whole.get(name));
                        }
                    });
                    slot.stream().synchronize();
                } catch (RuntimeException | Error e) {
                    close();
                    throw e;
                }
            }

            @Override
            public void start(Slab slab) {
                for (int i = 0; i < sources.size(); i++) {
                    int target = cut.written().indexOf(sources.get(i));
                    if (target >= 0) {
                        slab.stream().copy(slab.input(i), slab.output(target));
                    }
                }
                if (rows != slab.rows()) {
                    prepared = prepare(slab);
                    rows = slab.rows();
                }
                prepared.start();
            }

            private KernelLaunch prepare(Slab slab) {
                ArrayKernel.GpuLaunch launch = loaded.launch().on(slot.stream());
                whole.forEach((name, buffer) -> launch.set(name, buffer, shape(name, slab.rows())));
                for (int i = 0; i < sources.size(); i++) {
                    launch.set(sources.get(i), slab.input(i), shape(sources.get(i), slab.rows()));
                }
                for (int i = 0; i < cut.written().size(); i++) {
                    launch.set(cut.written().get(i), slab.output(i), shape(cut.written().get(i), slab.rows()));
                }
                numbers.forEach(launch::scalar);
                return launch.prepare();
            }

            @Override
            public void close() {
                whole.values().forEach(Buffer::close);
                loaded.close();
            }
        }
    }
}
