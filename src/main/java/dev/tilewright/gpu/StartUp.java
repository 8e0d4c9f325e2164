package dev.tilewright.gpu;

import dev.tilewright.builder.TileKernel;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the first kernel of a process needs and no GPU is needed for, done by threads of its own while the driver
 * initialises (a tenth of a second on an H200, during which Java has nothing to do): the driver's functions are linked,
 * NVRTC is located, the kernel cache is opened, and what emits source is loaded. Nothing is fetched, compiled or kept.
 * What fails here is tried again, and said, when it is needed.
 */
final class StartUp {
    /** The system property that, set to {@code false}, leaves everything to the moment when it is needed. */
    static final String PROPERTY = "tilewright.start.ahead";

    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private StartUp() { }

    /** Starts it, the first time. */
    static void begin() {
        if (BEGUN.compareAndSet(false, true) && !"false".equals(System.getProperty(PROPERTY))
                && LibCuda.presence().present()) {
            start("tilewright-link", LibCuda::linkAhead);
            start("tilewright-cache", () -> Gpu.sharedCompiler().open());
            start("tilewright-emit", StartUp::emit);
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                // Whoever needs it meets the same, and is told.
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void emit() {
        TileKernel kernel = VectorCopy.of(ElementType.F32).step(ElementStep.SCALE).build();
        CudaEmitter.emit(kernel.program(), EmitOptions.DEFAULT);
    }
}
