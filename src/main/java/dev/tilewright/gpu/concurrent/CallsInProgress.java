package dev.tilewright.gpu.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The driver calls under way on a device, whose memory, kernels and streams another thread may close at the same
 * moment. A caller counts its call first, and then looks whether the object is still open; a closer first refuses new
 * uses, and frees the object once all calls counted before have ended. So no call uses a freed object, which may belong
 * to another caller by then.
 *
 * <p>Counting costs two atomic additions, in a cell that few threads share, and allocates nothing. Calls are counted in
 * two generations, so that a close does not wait for calls that begin meanwhile (as in sleepable read-copy-update).
 */
public final class CallsInProgress {
    private static final int STRIPES = 16;
    /** Cells lie this far apart: two cache lines. */
    private static final int APART = 16;
    private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] cells = new long[(2 * STRIPES + 2) * APART];
    private volatile int generation;

    /** Counts a call. @return what to {@link #end} with */
    public int begin() {
        int cell = cell((int) Thread.currentThread().threadId() & STRIPES - 1, generation);
        CELLS.getAndAdd(cells, cell, 1L);
        return cell;
    }

    /** The call has ended. */
    public void end(int cell) {
        CELLS.getAndAdd(cells, cell, -1L);
    }

    /** Waits until all calls have ended that were counted before this. An interrupt does not end the wait. */
    public synchronized void awaitEnd() {
        // Twice, as a thread may have read the generation, and not counted yet, when it changed the last time.
        for (int turn = 0; turn < 2; turn++) {
            int old = generation;
            generation = old + 1;
            for (int stripe = 0; stripe < STRIPES; stripe++) {
                int tries = 0;
                while ((long) CELLS.getVolatile(cells, cell(stripe, old)) != 0) {
                    if (++tries < 100) {
                        Thread.onSpinWait();
                    } else {
                        LockSupport.parkNanos(1_000);
                    }
                }
            }
        }
    }

    private static int cell(int stripe, int generation) {
        return (1 + 2 * stripe + (generation & 1)) * APART;
    }
}
