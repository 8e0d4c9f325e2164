package dev.tilewright.gpu.nvrtc;

import java.util.concurrent.ExecutionException;
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
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw unwrapped(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException unwrapped(Throwable cause) {
        if (cause instanceof Error e) {
            throw e;
        }
        return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
    }
}
