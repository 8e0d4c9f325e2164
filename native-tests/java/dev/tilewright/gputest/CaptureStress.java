package dev.tilewright.gputest;

import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import dev.tilewright.program.ComputingKernels;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Captures of four streams, and beside them, in threads of their own, all that CUDA refuses while a stream is captured:
 * waits, questions, allocations, launches, the default stream, and GPUs that are opened and closed. No capture may be
 * spoilt. A process of its own, as other code in the process could spoil one.
 */
final class CaptureStress {
    private static final long NANOSECONDS = 3_000_000_000L;

    private final Gpu gpu;
    private final boolean emulated;
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, AtomicLong> turns = new ConcurrentSkipListMap<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final long end = System.nanoTime() + NANOSECONDS;

    private interface Work {
        void run() throws Exception;
    }

    private CaptureStress(Gpu gpu, boolean emulated) {
        this.gpu = gpu;
        this.emulated = emulated;
    }

    /** @param arguments {@code emulated}, or none for the first GPU */
    public static void main(String[] arguments) throws InterruptedException {
        boolean emulated = List.of(arguments).contains("emulated");
        try (Gpu gpu = emulated ? Gpu.emulated() : Gpu.open()) {
            new CaptureStress(gpu, emulated).run();
        }
    }

    /** What is refused in words because of a capture is well. */
    private void repeat(String what, Work work) {
        AtomicLong count = turns.computeIfAbsent(what, _ -> new AtomicLong());
        threads.add(Thread.ofPlatform().start(() -> {
            do {
                try {
                    work.run();
                } catch (Exception e) {
                    boolean refusal = e instanceof IllegalStateException && e.getMessage().contains("being captured")
                            || e instanceof IllegalStateException && e.getMessage().contains("recorded in a capture");
                    if (!refusal) {
                        failures.incrementAndGet();
                        System.out.println("FAILED: " + what);
                        e.printStackTrace(System.out);
                        return;
                    }
                }
                count.incrementAndGet();
            } while (System.nanoTime() < end);
        }));
    }

    private void run() throws InterruptedException {
        try (Stream ordinary = gpu.stream(); Stream apart = gpu.nonBlockingStream();
                Kernel kernel = gpu.load(ComputingKernels.axpy()); Buffer<float[]> x = gpu.upload(new float[128]);
                Buffer<float[]> y = gpu.upload(new float[128]); Buffer<byte[]> bytes = gpu.bytes(1 << 20);
                Event shared = gpu.event(); Stream second = gpu.nonBlockingStream();
                Stream third = gpu.nonBlockingStream()) {
            for (Stream stream : List.of(second, third)) {
                repeat("captures of one event", () -> capture(stream, bytes, shared));
            }
            for (Stream stream : List.of(ordinary, apart)) {
                KernelLaunch captured = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
                KernelLaunch launched = kernel.prepare().grid(1).set("x", x).set("y", y).set("a", 1.0).on(stream);
                repeat("captures", () -> capture(stream, captured, bytes, shared));
                repeat("launches", () -> {
                    for (int i = 0; i < 100; i++) {
                        launched.start();
                    }
                    stream.synchronize();
                });
                repeat("waits", stream::synchronize);
                repeat("questions", stream::isIdle);
                repeat("futures", () -> stream.completion().get());
                repeat("allocations", () -> stream.allocate(ArrayType.BYTES, 4096).close());
                repeat("copies of pageable memory", () -> stream.upload(
                        MemorySegment.ofArray(new byte[1 << 20]), bytes));
            }
            repeat("questions for an event", shared::isDone);
            repeat("waits for an event", shared::synchronize);
            repeat("the default stream", () -> bytes.upload(new byte[16]));
            repeat("waits for all", gpu::synchronize);
            repeat("pinned memory", () -> gpu.pinned(4096).close());
            if (!emulated) {
                repeat("GPUs", CaptureStress::openAndClose);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            gpu.synchronize();
        }
        turns.forEach((what, count) -> System.out.println(count + " " + what));
        boolean all = turns.values().stream().allMatch(count -> count.get() > 0);
        if (failures.get() > 0 || !all) {
            System.out.println("FAILED: " + failures + " threads"
                    + (all ? "" : ", and something never came to its turn"));
            System.exit(1);
        }
        System.out.println("ok: captures beside all else");
    }

    private static void capture(Stream stream, KernelLaunch launch, Buffer<byte[]> bytes, Event shared) {
        try (Graph graph = stream.capture(s -> {
            s.fill(bytes, (byte) 1);
            launch.start();
            s.record(shared);
        })) {
            if (graph.nodes() < 2) {
                throw new AssertionError(graph.nodes() + " nodes");
            }
            graph.update(launch).start();
            stream.record(shared);
        }
    }

    private static void capture(Stream stream, Buffer<byte[]> bytes, Event shared) {
        stream.capture(s -> {
            s.fill(bytes, (byte) 2);
            s.record(shared);
        }).close();
        stream.record(shared);
    }

    private static void openAndClose() {
        try (Gpu own = Gpu.open(); Stream stream = own.stream(); Buffer<byte[]> bytes = own.bytes(64)) {
            stream.fill(bytes, (byte) 3);
        }
    }
}
