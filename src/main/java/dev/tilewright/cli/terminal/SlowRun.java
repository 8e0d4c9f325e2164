package dev.tilewright.cli.terminal;

import dev.tilewright.Counted;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Says of a run of a kernel that takes more than some seconds how many steps it has come to: first after these, then
 * each time twice as much time has passed. Told by one thread at a time. Of a run with few steps nothing is said: it is
 * the machine that is slow.
 */
public final class SlowRun implements LongConsumer {
    private static final Duration FIRST = Duration.ofSeconds(3);
    /** Far more than a small launch has, and less than any machine runs in some seconds. */
    public static final long LEAST_STEPS = 1 << 17;

    private final Consumer<String> note;
    private final LongSupplier clock;
    private final String limits;
    private long start;
    private long next = FIRST.toNanos();
    private long last;

    /**
     * A run that begins now.
     *
     * @param note is given each line
     * @param clock in nanoseconds, as {@link System#nanoTime}
     * @param limits in words: what ends a run
     */
    public SlowRun(Consumer<String> note, LongSupplier clock, String limits) {
        this.note = note;
        this.clock = clock;
        this.limits = limits;
        this.start = clock.getAsLong();
    }

    /** @param steps so far; fewer than before are those of the next run */
    @Override
    public void accept(long steps) {
        long now = clock.getAsLong();
        if (steps < last) {
            start = now;
            next = FIRST.toNanos();
        }
        last = steps;
        if (now - start >= next && steps >= LEAST_STEPS) {
            next = 2 * (now - start);
            note.accept("still running on the CPU: " + Counted.of(steps, "step") + " of the kernel's threads in "
                    + Duration.ofNanos(now - start).toSeconds() + " s; " + limits);
        }
    }
}
