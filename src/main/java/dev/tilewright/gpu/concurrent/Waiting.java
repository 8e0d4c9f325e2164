package dev.tilewright.gpu.concurrent;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How a virtual thread waits for a GPU: it asks again and again and sleeps in between, so that its carrier is free for
 * others. A wait inside the driver would hold the carrier. Costs up to a millisecond.
 */
public final class Waiting {
    private static final long SHORTEST_NANOS = 20_000;
    private static final long LONGEST_NANOS = 1_000_000;

    private Waiting() { }

    /** Whether the calling thread should wait in this way. */
    public static boolean isForThisThread() {
        return Thread.currentThread().isVirtual();
    }

    /** Waits. An interrupt does not end it, and is there again afterwards. */
    public static void until(BooleanSupplier done) {
        boolean interrupted = false;
        try {
            for (long nanos = SHORTEST_NANOS; !done.getAsBoolean(); nanos =
                    Math.min(LONGEST_NANOS, nanos + nanos / 2)) {
                LockSupport.parkNanos(nanos);
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
