package dev.tilewright.gpu.emulation;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs what ends early on a thread that is interrupted, on a thread of its own: a GPU does not know of interrupts, and
 * a driver call that waits for it does not either.
 */
final class Uninterrupted {

    private Uninterrupted() { }

    /** Runs it to its end; an interrupt of the caller stays for later. */
    static void run(Runnable work) {
        FutureTask<Void> task = new FutureTask<>(work, null);
        Thread.ofPlatform().daemon().name("emulated GPU").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw rethrow(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException rethrow(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (RuntimeException) cause;
    }
}
