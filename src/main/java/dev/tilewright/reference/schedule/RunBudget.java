package dev.tilewright.reference.schedule;

import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceStoppedException;

/**
 * How long a run may go on: until the thread that called is interrupted, or more steps or time are taken than the
 * options allow. All CPU threads of a run share one; each asks it now and then.
 */
public final class RunBudget {
    /** A CPU thread asks after this number of steps at the latest. */
    private static final int SLICE = 1 << 14;

    private final String kernel;
    private final ReferenceOptions options;
    private final Thread caller = Thread.currentThread();
    private final long start = System.nanoTime();
    private final int slice;
    private long taken;
    private volatile boolean interrupted;

    /** A budget that begins now, for a run that this thread calls. @param kernel its name, for the message */
    public RunBudget(String kernel, ReferenceOptions options) {
        this.kernel = kernel;
        this.options = options;
        this.slice = (int) Long.highestOneBit(Math.clamp(options.mostSteps(), 1, SLICE));
    }

    /** After this number of steps, a power of two, a thread should {@link #spend} them. */
    int slice() {
        return slice;
    }

    /** The thread that called was interrupted while it waited. */
    void interrupt() {
        interrupted = true;
    }

    /**
     * Some steps have been taken.
     *
     * @throws ReferenceStoppedException if the run must end; if because of an interrupt, the thread that called keeps
     *     its interrupted state
     */
    void spend(long steps) {
        long sum = add(steps);
        if (Thread.currentThread() == caller && caller.isInterrupted()) {
            interrupted = true;
        }
        if (interrupted) {
            throw new ReferenceStoppedException(stopped(sum) + "its thread was interrupted");
        }
        if (sum > options.mostSteps()) {
            throw new ReferenceStoppedException(stopped(sum) + "ReferenceOptions allows " + options.mostSteps());
        }
        if (options.mostTime().isPresent()) {
            long most = options.mostTime().get().toNanos();
            if (System.nanoTime() - start > most) {
                throw new ReferenceStoppedException(stopped(sum) + "ReferenceOptions allows " + most / 1_000_000
                        + " milliseconds");
            }
        }
    }

    private synchronized long add(long steps) {
        taken += steps;
        return taken;
    }

    private String stopped(long steps) {
        return "kernel '" + kernel + "': the run was stopped after " + steps + " steps of its threads: ";
    }
}
