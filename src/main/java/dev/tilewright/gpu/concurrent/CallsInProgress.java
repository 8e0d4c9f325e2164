package dev.tilewright.gpu.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The driver calls of a device that are being made with memory, kernels and streams which another thread may close at
 * the same moment. Who makes one counts it first, and looks whether what it uses is open afterwards; who closes refuses
 * new uses first, and gives back when the calls have ended that were counted before. So no call gets what was given
 * back already, which may be another's by then.
 *
 * <p>Counting costs two atomic additions, in a cell that few threads share, and allocates nothing. Calls are counted in
 * two generations, so that a close does not wait for those that begin meanwhile (as sleepable read-copy-update does
 * it).
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
