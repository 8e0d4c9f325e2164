package dev.tilewright.gpu.nvrtc;

import dev.tilewright.gpu.concurrent.Outcome;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Runs work on a thread with a deep stack and waits for it.
 *
 * <p>NVRTC recurses with the depth of the source: measured with 12.9, an expression of 500 nested parentheses
 * overruns a Java thread's usual 1 MiB and takes the whole process down, where 2,000 are fine on 16 MiB. The memory is
 * only reserved until it is used.
 */
public final class DeepStack {

    /** Bytes. */
    private static final long STACK = 64L << 20;

    private DeepStack() { }

    /** Runs the work; what it throws comes out as it is. An interrupt is kept until the work is done. */
    public static <T> T call(Supplier<T> work) {
        FutureTask<T> task = new FutureTask<>(work::get);
        Thread thread = new Thread(null, task, "tilewright-nvrtc", STACK);
        thread.setDaemon(true);
        thread.start();
        return Outcome.of(task);
    }
}
