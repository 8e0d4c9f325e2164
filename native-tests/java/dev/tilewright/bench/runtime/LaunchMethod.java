package dev.tilewright.bench.runtime;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LaunchConfig;
import dev.tilewright.gpu.cuda.LibCuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** A way in which Java puts launches into a stream. */
enum LaunchMethod {
    /** A {@link KernelLaunch}, started again and again. */
    PREPARED("tilewright") {
        @Override
        Submission of(Kernel kernel, Stream stream, List<Buffer<int[]>> buffers, int launches) {
            KernelLaunch launch = launch(kernel, buffers).on(stream);
            return submission(() -> {
                for (int i = 0; i < launches; i++) {
                    launch.start();
                }
            }, () -> { });
        }
    },
    /** All launches as one graph. */
    GRAPH("tilewright, graph") {
        @Override
        Submission of(Kernel kernel, Stream stream, List<Buffer<int[]>> buffers, int launches) {
            KernelLaunch launch = launch(kernel, buffers).on(stream);
            Graph graph = stream.capture(_ -> {
                for (int i = 0; i < launches; i++) {
                    launch.start();
                }
            });
            return submission(graph::start, graph::close);
        }
    },
    /** The driver's function through {@code java.lang.foreign}, with nothing of ours around it. */
    FOREIGN("java.lang.foreign") {
        @Override
        Submission of(Kernel kernel, Stream stream, List<Buffer<int[]>> buffers, int launches) {
            Arena arena = Arena.ofShared();
            MemorySegment config = new LaunchConfig(arena).grid(1, 1, 1).block(RivalKernels.ELEMENTS, 1, 1)
                    .stream(stream.handle()).segment();
            MemorySegment arguments = arguments(arena, buffers);
            long function = kernel.function();
            DriverApi api = LibCuda.get();
            return submission(() -> kernel.gpu().inContext(() -> {
                for (int i = 0; i < launches; i++) {
                    int result = api.cuLaunchKernelEx(config, function, arguments, 0);
                    if (result != DriverApi.SUCCESS) {
                        throw new IllegalStateException("cuLaunchKernelEx: " + result);
                    }
                }
            }), arena::close);
        }
    },
    /** JCuda's binding of the driver's function. */
    JCUDA("JCuda") {
        @Override
        Submission of(Kernel kernel, Stream stream, List<Buffer<int[]>> buffers, int launches) {
            return JCudaLaunches.of(kernel, stream, buffers, launches);
        }
    };

    static final int FACTOR = 3;

    private final String side;

    LaunchMethod(String side) {
        this.side = side;
    }

    /** What its rows call it. */
    String side() {
        return side;
    }

    /** Launches that are put into a stream again and again. */
    interface Submission extends AutoCloseable {
        /** Puts all of them in. */
        void submit();

        @Override
        void close();
    }

    static Submission submission(Runnable submit, Runnable close) {
        return new Submission() {
            @Override
            public void submit() {
                submit.run();
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }

    /**
     * Prepares it.
     *
     * @param buffers the total and what is added to it; none for the empty kernel
     * @param launches how many are put in at once
     */
    abstract Submission of(Kernel kernel, Stream stream, List<Buffer<int[]>> buffers, int launches);

    private static KernelLaunch launch(Kernel kernel, List<Buffer<int[]>> buffers) {
        KernelLaunch launch = kernel.prepare().grid(1);
        return buffers.isEmpty() ? launch : launch.set("total", buffers.get(0)).set("in", buffers.get(1))
                .set("factor", FACTOR).set("n", RivalKernels.ELEMENTS);
    }

    /** The array of pointers to the arguments. */
    private static MemorySegment arguments(Arena arena, List<Buffer<int[]>> buffers) {
        if (buffers.isEmpty()) {
            return MemorySegment.NULL;
        }
        MemorySegment pointers = arena.allocate(ValueLayout.ADDRESS, 4);
        pointers.setAtIndex(ValueLayout.ADDRESS, 0, arena.allocateFrom(ValueLayout.JAVA_LONG,
                buffers.get(0).address()));
        pointers.setAtIndex(ValueLayout.ADDRESS, 1, arena.allocateFrom(ValueLayout.JAVA_LONG,
                buffers.get(1).address()));
        pointers.setAtIndex(ValueLayout.ADDRESS, 2, arena.allocateFrom(ValueLayout.JAVA_INT, FACTOR));
        pointers.setAtIndex(ValueLayout.ADDRESS, 3, arena.allocateFrom(ValueLayout.JAVA_INT, RivalKernels.ELEMENTS));
        return pointers;
    }
}
