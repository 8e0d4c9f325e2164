package dev.tilewright.reference.schedule;

import dev.tilewright.Counted;
import dev.tilewright.reference.fault.ReferenceStoppedException.Reason;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * How long a run may go on: until the thread that called is interrupted, or more steps or time are taken than the
 * options allow. All CPU threads of a run share one; each asks it now and then.
 */
public final class RunBudget {
    /** A CPU thread asks after this number of steps at the latest. */
    private static final int SLICE = 1 << 14;

    private final String kernel;
    private final long mostSteps;
    private final Optional<Duration> mostTime;
    private final LongConsumer progress;
    private final Thread caller = Thread.currentThread();
    private final long start = System.nanoTime();
    private final int slice;
    private long taken;
    private volatile boolean interrupted;

    /**
     * A budget that begins now, for a run that this thread calls.
     *
     * @param kernel its name, for the message
     * @param mostSteps steps of all threads together
     * @param mostTime by the clock; empty for any
     * @param progress told of the steps so far
     */
    public RunBudget(String kernel, long mostSteps, Optional<Duration> mostTime, LongConsumer progress) {
        this.kernel = kernel;
        this.mostSteps = mostSteps;
        this.mostTime = mostTime;
        this.progress = progress;
        this.slice = (int) Long.highestOneBit(Math.clamp(mostSteps, 1, SLICE));
    }

    /** After this number of steps, a power of two, a thread should {@link #spend} them. */
    int slice() {
        return slice;
    }

    /** The thread that called was interrupted while it waited. */
    public void interrupt() {
        interrupted = true;
    }

    /**
     * Some steps have been taken.
     *
     * @param where the threads are, for people
     * @throws ReferenceStoppedException if the run must end; if because of an interrupt, the thread that called keeps
     *     its interrupted state
     */
    void spend(long steps, Supplier<String> where) {
        long sum = add(steps);
        if (Thread.currentThread() == caller && caller.isInterrupted()) {
            interrupted = true;
        }
        if (interrupted) {
            throw stopped(Reason.INTERRUPT, sum, where, "its thread was interrupted");
        }
        if (sum > mostSteps) {
            throw stopped(Reason.STEPS, sum, where, "at most " + Counted.of(mostSteps, "step")
                    + (mostSteps == 1 ? " is allowed" : " are allowed"));
        }
        if (mostTime.isPresent() && System.nanoTime() - start > nanos(mostTime.get())) {
            throw stopped(Reason.TIME, sum, where, "at most " + text(mostTime.get()) + " are allowed");
        }
    }

    private static long nanos(Duration time) {
        try {
            return time.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** In the largest unit of which it is several. */
    private static String text(Duration time) {
        for (ChronoUnit unit : List.of(ChronoUnit.MINUTES, ChronoUnit.SECONDS)) {
            long units = time.dividedBy(unit.getDuration());
            if (units > 1 && unit.getDuration().multipliedBy(units).equals(time)) {
                return units + " " + unit.toString().toLowerCase(Locale.ROOT);
            }
        }
        return time.toMillis() + " milliseconds";
    }

    private synchronized long add(long steps) {
        taken += steps;
        progress.accept(taken);
        return taken;
    }

    private ReferenceStoppedException stopped(Reason reason, long steps, Supplier<String> where, String why) {
        return new ReferenceStoppedException(reason, "kernel '" + kernel + "': the run was stopped after " + steps
                + " steps of its threads: " + why + "; " + where.get());
    }
}
