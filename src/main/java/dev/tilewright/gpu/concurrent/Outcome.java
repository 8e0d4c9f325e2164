package dev.tilewright.gpu.concurrent;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What comes of work that another thread does: an interrupt does not end the wait, and is there again afterwards. */
public final class Outcome {
    private static final Duration LONG = Duration.ofDays(1);

    private Outcome() { }

    /** Waits for the work. @return its result; what it throws comes out as it is */
    public static <T> T of(Future<T> work) {
        return of(work, LONG, () -> { });
    }

    /**
     * Waits for the work, which is told when a thread that waits for it was interrupted and it goes on all the same.
     *
     * @param grace how long after the interrupt it is told, and how long after that again
     * @param impatient tells it
     */
    public static <T> T of(Future<T> work, Duration grace, Runnable impatient) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return interrupted ? work.get(grace.toMillis(), TimeUnit.MILLISECONDS) : work.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    impatient.run();
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
        return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
    }
}
