package dev.tilewright.gpu.module;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the first kernel of a process needs and no GPU is needed for, done by threads of its own while the driver
 * initialises (a tenth of a second on an H200, during which Java has nothing to do): the driver's functions are linked,
 * NVRTC is located, the kernel cache is opened, and what emits source is loaded. Nothing is fetched, compiled or kept.
 * What fails here is tried again, and said, when it is needed.
 */
public final class StartUp {
    /** The system property that, set to {@code false}, leaves everything to the moment when it is needed. */
    static final String PROPERTY = "tilewright.start.ahead";

    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private StartUp() { }

    /** Starts it, the first time. */
    public static void begin() {
        if (BEGUN.compareAndSet(false, true) && !"false".equals(System.getProperty(PROPERTY))
                && LibCuda.presence().present()) {
            start("tilewright-link", LibCuda::linkAhead);
            start("tilewright-cache", () -> SharedCompiler.get().open());
            start("tilewright-emit", StartUp::emit);
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                // The first caller that needs it meets the same failure, and is told.
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void emit() {
        Parameter.Pointer array = new Parameter.Pointer("array", true);
        Parameter.Int count = new Parameter.Int("count", IntType.S32);
        Parameter.Scalar factor = new Parameter.Scalar("factor", ElementType.F32);
        CudaEmitter.emit(new TileProgram("first", "scales an array", 32, List.of(array, count, factor),
                new SharedLayout(List.of()), Body.steps(body -> body.loop("at", Builtin.THREAD, count.value(),
                        32, (each, at) -> {
                            Address.Global place = new Address.Global(array, at.times(4));
                            each.store(place, each.load("element", ValueType.F32, place).times(factor.value()));
                        }))), EmitOptions.DEFAULT);
    }
}
