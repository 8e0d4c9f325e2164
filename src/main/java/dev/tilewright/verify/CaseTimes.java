package dev.tilewright.verify;

import dev.tilewright.Counted;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Where the time of many cases goes. Safe for use by several threads. */
public final class CaseTimes {
    private static final int MICRO = 1000;

    private final LongAdder[] nanos = new LongAdder[Phase.values().length];
    private final LongAdder cases = new LongAdder();
    private final LongAdder kernels = new LongAdder();
    private final LongAdder elapsed = new LongAdder();

    /** Nothing has taken any time. */
    public CaseTimes() {
        Arrays.setAll(nanos, _ -> new LongAdder());
    }

    <T> T get(Phase phase, Supplier<T> work) {
        long begin = System.nanoTime();
        try {
            return work.get();
        } finally {
            nanos[phase.ordinal()].add(System.nanoTime() - begin);
        }
    }

    void time(Phase phase, Runnable work) {
        get(phase, () -> {
            work.run();
            return null;
        });
    }

    void aKernel() {
        kernels.increment();
    }

    /** What was spent on each phase so far, in order. */
    public List<Long> nanoseconds() {
        return Arrays.stream(nanos).map(LongAdder::sum).toList();
    }

    /** Adds what another process spent. @param nanoseconds on each phase @param ready kernels that it made ready */
    public void add(List<Long> nanoseconds, long ready) {
        for (int i = 0; i < nanos.length; i++) {
            nanos[i].add(nanoseconds.get(i));
        }
        kernels.add(ready);
    }

    /** All that was asked for at once has ended. */
    public void ended(long count, long nanoseconds) {
        cases.add(count);
        elapsed.add(nanoseconds);
    }

    /** Cases that have ended. */
    public long cases() {
        return cases.sum();
    }

    /** Kernels that were made ready for them. */
    public long kernels() {
        return kernels.sum();
    }

    /** From the first case's start to the last one's end. */
    public double seconds() {
        return elapsed.sum() / 1e9;
    }

    /** Cases, kernels, cases a second, and the milliseconds that the threads spent on each phase of a case. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s of %s in %.1f s, %s a second; ms of a case: ",
                Counted.of(cases(), "case"), Counted.of(kernels(), "kernel"), seconds(),
                Counted.of(Math.round(cases() / seconds()), "case")) + Arrays.stream(Phase.values())
                .map(phase -> String.format(Locale.ROOT, "%s %.2f", phase.name().toLowerCase(Locale.ROOT),
                        nanos[phase.ordinal()].sum() / MICRO / 1e3 / Math.max(1, cases())))
                .collect(Collectors.joining(", "));
    }
}
