package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.streaming.HostSource;
import dev.tilewright.gpu.streaming.HostTarget;
import dev.tilewright.gpu.streaming.Rows;
import dev.tilewright.gpu.streaming.Streamer;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** What applications do with the runtime, as short as it can be and together all of it, for tests of failures. */
enum GpuScenario {
    /** Synchronous work with device memory. */
    MEMORY {
        @Override
        void run(GpuChoice gpus) {
            try (Gpu gpu = gpus.open();
                    Buffer<int[]> x = gpu.upload(new int[] {1, 2, 3, 4});
                    Buffer<int[]> y = gpu.ints(4);
                    Buffer<byte[]> none = gpu.bytes(0)) {
                y.fill((byte) 0);
                x.slice(1, 2).copyTo(y.slice(2, 2));
                assertArrayEquals(new int[] {0, 0, 2, 3}, y.download());
                assertEquals(0, none.download().length);
                try (Arena arena = Arena.ofConfined()) {
                    y.upload(arena.allocate(16).fill((byte) 1));
                }
                assertEquals(0x01010101, y.download()[3]);
                gpu.memory();
                gpu.synchronize();
            }
        }
    },
    /** Asynchronous copies, events, memory in a stream's order. */
    STREAMS {
        @Override
        void run(GpuChoice gpus) {
            try (Gpu gpu = gpus.open();
                    Stream first = gpu.stream();
                    Stream second = gpu.nonBlockingStream();
                    PinnedMemory from = gpu.pinned(16);
                    PinnedMemory to = gpu.pinned(16);
                    Buffer<byte[]> memory = first.allocate(ArrayType.BYTES, 16);
                    Event begin = gpu.timedEvent();
                    Event end = gpu.timedEvent()) {
                from.segment().fill((byte) 5);
                first.record(begin);
                first.upload(from.segment(), memory);
                try (Event copied = first.record()) {
                    second.waitFor(copied);
                    second.download(memory, to.segment());
                }
                first.fill(memory, (byte) 6);
                first.record(end);
                end.isDone();
                end.synchronize();
                end.millisecondsSince(begin);
                first.isIdle();
                second.synchronize();
            }
        }
    },
    /** Memory of the application's own, page-locked. */
    REGISTERED {
        @Override
        void run(GpuChoice gpus) {
            try (Arena arena = Arena.ofShared(); Gpu gpu = gpus.open()) {
                MemorySegment host = arena.allocate(1 << 16, 4096).fill((byte) 3);
                try (RegisteredMemory registered = gpu.register(host);
                        Buffer<byte[]> memory = gpu.bytes(1 << 16)) {
                    memory.upload(registered.segment());
                    memory.fill((byte) 4);
                    memory.download(registered.segment());
                }
                assertEquals(4, host.get(JAVA_BYTE, 9));
            }
        }
    },
    /** Kernels with tensor maps and with pointers, prepared and started. */
    KERNELS {
        private static final ElementwiseKernel SCALE =
                TensorCopy.of(ElementType.F32).tile(4, 32).step(ElementStep.SCALE).build();
        private static final ElementwiseKernel COPY = BulkCopy.of(ElementType.F32).build();

        @Override
        void run(GpuChoice gpus) {
            float[] array = new float[4 * 32];
            array[100] = 2;
            List<Long> shape = List.of(4L, 32L);
            Launch scale = SCALE.launch(shape, Scalars.of(SCALE.scalars().getFirst().name(), 1.5));
            Launch copy = COPY.launch(shape, 0);
            try (Gpu gpu = gpus.open();
                    Stream stream = gpu.stream();
                    Buffer<float[]> x = gpu.upload(array);
                    Buffer<float[]> y = gpu.floats(array.length);
                    Buffer<byte[]> workspace = gpu.bytes(COPY.workspaceBytes(copy));
                    Kernel scaling = gpu.load(SCALE);
                    Kernel copying = gpu.load(COPY);
                    Kernel again = gpu.load(COPY)) {
                again.residentBlocks();
                KernelLaunch launch = scaling.prepare(scale, x, y).on(stream);
                launch.start();
                copying.prepare(copy, y, x, workspace).on(stream).start();
                launch.copy().start();
                stream.synchronize();
                assertEquals(4.5f, y.download()[100]);
            }
        }
    },
    /** Copies between two GPUs. */
    PEERS {
        @Override
        void run(GpuChoice gpus) {
            List<Gpu> both = gpus.openAll();
            try (Gpu first = both.get(0);
                    Gpu second = both.get(1);
                    Buffer<int[]> here = first.upload(new int[] {7, 8});
                    Buffer<int[]> there = second.ints(2);
                    PinnedMemory pinned = first.pinned(8);
                    Stream stream = first.stream();
                    Stream other = second.stream()) {
                other.upload(pinned.segment(), there);
                other.synchronize();
                here.copyTo(there);
                stream.copy(here, there);
                stream.synchronize();
                assertArrayEquals(new int[] {7, 8}, there.download());
            }
        }
    },
    /** Pageable memory that several threads copy, and a virtual thread. */
    STAGED {
        @Override
        void run(GpuChoice gpus) {
            int bytes = 1200 << 10;
            byte[] array = new byte[bytes];
            Arrays.fill(array, (byte) 3);
            try (Gpu gpu = gpus.open(); Stream stream = gpu.stream(); Buffer<byte[]> memory = gpu.upload(array)) {
                stream.fill(memory.slice(0, 7), (byte) 4);
                stream.download(memory, MemorySegment.ofArray(array));
                assertEquals(4, array[6]);
                assertEquals(3, array[bytes - 1]);
                FutureTask<Void> task = new FutureTask<>(() -> {
                    stream.upload(MemorySegment.ofArray(new byte[bytes]), memory);
                    stream.download(memory, MemorySegment.ofArray(array));
                    memory.slice(0, 8).download();
                }, null);
                Thread.startVirtualThread(task);
                task.get();
                assertEquals(0, array[bytes - 1]);
            } catch (ExecutionException e) {
                throw (RuntimeException) e.getCause();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    },
    /** Copies and a kernel captured, started with other arguments, and in another stream. */
    GRAPH {
        private static final ElementwiseKernel SCALE =
                TensorCopy.of(ElementType.F32).tile(4, 32).step(ElementStep.SCALE).build();

        private static Launch by(double factor) {
            return SCALE.launch(List.of(4L, 32L), Scalars.of(SCALE.scalars().getFirst().name(), factor));
        }

        @Override
        void run(GpuChoice gpus) {
            try (Gpu gpu = gpus.open();
                    Stream stream = gpu.stream();
                    Stream side = gpu.stream();
                    PinnedMemory in = gpu.pinned(512);
                    PinnedMemory out = gpu.pinned(512);
                    Buffer<float[]> x = gpu.floats(128);
                    Buffer<float[]> y = gpu.floats(128);
                    Kernel kernel = gpu.load(SCALE)) {
                in.segment().fill((byte) 0).set(JAVA_FLOAT, 0, 3);
                KernelLaunch launch = kernel.prepare(by(2), x, y).on(stream);
                try (Graph graph = stream.capture(captured -> {
                    captured.upload(in.segment(), x);
                    launch.start();
                    try (Event done = captured.record()) {
                        side.waitFor(done);
                    }
                    side.download(y, out.segment());
                    try (Event done = side.record()) {
                        captured.waitFor(done);
                    }
                })) {
                    graph.start();
                    stream.synchronize();
                    assertEquals(6, out.segment().get(JAVA_FLOAT, 0));
                    launch.fill(by(5), x, y);
                    graph.update(launch).start(side);
                    side.synchronize();
                    assertEquals(15, out.segment().get(JAVA_FLOAT, 0));
                }
            }
        }
    },
    /** Futures of streams. */
    COMPLETIONS {
        @Override
        void run(GpuChoice gpus) {
            try (Gpu gpu = gpus.open(); Stream stream = gpu.stream(); Buffer<byte[]> memory = gpu.bytes(8)) {
                stream.fill(memory, (byte) 1);
                stream.completion().join();
                stream.fill(memory, (byte) 2);
                CompletableFuture<Void> last = stream.completion();
                gpu.defaultStream().completion().join();
                last.join();
                assertEquals(2, memory.download()[7]);
            } catch (CompletionException e) {
                throw (RuntimeException) e.getCause();
            }
        }
    },
    /** Copies that end some time. */
    FUTURES {
        @Override
        void run(GpuChoice gpus) {
            try (Gpu gpu = gpus.open(); Buffer<int[]> memory = gpu.ints(8)) {
                memory.uploadAsync(new int[] {1, 2, 3, 4, 5, 6, 7, 8}).join();
                assertEquals(8, memory.downloadAsync().join()[7]);
                try (Stream stream = gpu.stream()) {
                    stream.fill(memory, (byte) 1);
                    CompletableFuture<Void> first = stream.completion();
                    CompletableFuture<Void> second = stream.completion();
                    first.join();
                    second.join();
                }
            } catch (CompletionException e) {
                throw (RuntimeException) e.getCause();
            }
        }
    },
    /**
     * What an application does not close goes with its GPU, or comes out of the try in an odd order. It still refers to
     * all of it then: what the garbage collector finds is given back at any moment, by a thread that nobody hears.
     */
    CLOSED_ANYHOW {
        @Override
        void run(GpuChoice gpus) {
            List<Gpu> both = gpus.openAll();
            try (Gpu first = both.get(0); Gpu second = both.get(1); PinnedMemory pinned = first.pinned(64)) {
                Buffer<byte[]> memory = second.bytes(64);
                Stream uploading = second.stream();
                uploading.upload(pinned.segment(), memory);
                Stream allocating = second.stream();
                List<Object> left = List.of(memory, uploading, second.timedEvent(), second.pinned(8), allocating,
                        allocating.allocate(ArrayType.BYTES, 8));
                closeNow(second);
                Reference.reachabilityFence(left);
                Stream stream = first.stream();
                Buffer<byte[]> ordered = stream.allocate(ArrayType.BYTES, 64);
                stream.upload(pinned.segment(), ordered);
                stream.close();
                closeNow(first);
                Reference.reachabilityFence(ordered);
            }
        }
    },
    /** Slabs from ordinary memory, through a kernel, to page-locked memory. */
    STREAMED_ARRAY {
        private static final ElementwiseKernel COPY = BulkCopy.of(ElementType.F32).tile(32).build();

        @Override
        void run(GpuChoice gpus) {
            byte[] array = new byte[600];
            array[599] = 9;
            try (Gpu gpu = gpus.open(); PinnedMemory to = gpu.pinned(600)) {
                Streamer.on(gpu).slab(256).slots(2).threads(1).run(COPY, Scalars.NONE, List.of(150L),
                        MemorySegment.ofArray(array), to.segment());
                assertEquals(9, to.segment().get(JAVA_BYTE, 599));
            }
        }
    },
    /** Slabs from page-locked to ordinary memory, on two GPUs at once. */
    STREAMED_ON_TWO {
        @Override
        void run(GpuChoice gpus) {
            byte[] array = new byte[600];
            List<Gpu> both = gpus.openAll();
            try (Gpu first = both.get(0); Gpu second = both.get(1); PinnedMemory from = first.pinned(600)) {
                from.segment().fill((byte) 9);
                Streamer.on(first, second).slab(60).slots(2).threads(2).run(
                        Rows.of(300).from(HostSource.of(from.segment()), 2)
                                .to(HostTarget.of(MemorySegment.ofArray(array)), 2),
                        _ -> slab -> slab.stream().copy(slab.input(), slab.output()));
                assertEquals(9, array[599]);
            }
        }
    },
    /** A described launch on host memory, in one call. */
    RUN {
        private static final ElementwiseKernel KERNEL = TensorCopy.of(ElementType.F32).tile(4, 32).build();

        @Override
        void run(GpuChoice gpus) {
            byte[] result = new byte[512];
            byte[] source = new byte[512];
            source[511] = 1;
            try (Gpu gpu = gpus.open()) {
                gpu.run(KERNEL.launch(List.of(4L, 32L), 0), List.of(MemorySegment.ofArray(source).asReadOnly(),
                        MemorySegment.ofArray(result)));
                assertEquals(1, result[511]);
            }
        }
    };

    /** Before its try ends. */
    private static void closeNow(AutoCloseable resource) {
        try {
            resource.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Does it, and closes all that it opened. */
    abstract void run(GpuChoice gpus);
}
