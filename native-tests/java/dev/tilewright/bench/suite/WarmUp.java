package dev.tilewright.bench.suite;

import dev.tilewright.Progress;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.result.Row;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Warms up what runs on the CPU until its times have settled, however many turns are measured then: rounds of all
 * subjects in windows, until the fastest round of each subject differs by less than a tenth from the window before,
 * twice in a row, and the compiler of the JVM had next to nothing to do meanwhile. For some windows at most; what has
 * not settled by then says so.
 */
final class WarmUp {
    /** By which part the fastest rounds of neighbouring windows differ at most where times have settled. */
    static final double TOLERANCE = 0.1;
    /** Rounds that a window has at least. */
    static final int LEAST_ROUNDS = 2;
    /** The part of a window in which the compiler of the JVM may have worked. */
    private static final double COMPILING = 0.1;
    private static final int WINDOWS_ALIKE = 2;
    private static final String WORK = "warming up";
    private static final int MOST_PERCENT = 100;
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    private final double windowMillis;
    private final int mostWindows;
    private final LongSupplier nanoTime;
    private final LongSupplier compilerMillis;

    /**
     * @param windowMillis what a window lasts at least @param mostWindows after which it ends, settled or not: for so
     *         many times that long
     */
    WarmUp(double windowMillis, int mostWindows) {
        this(windowMillis, mostWindows, System::nanoTime, WarmUp::compilerMillis);
    }

    WarmUp(double windowMillis, int mostWindows, LongSupplier nanoTime, LongSupplier compilerMillis) {
        this.windowMillis = windowMillis;
        this.mostWindows = mostWindows;
        this.nanoTime = nanoTime;
        this.compilerMillis = compilerMillis;
    }

    /** Windows as long as the bench is to warm up. */
    static WarmUp of(Bench bench, int mostWindows) {
        return new WarmUp(bench.settings().warmUpMillis(), mostWindows);
    }

    private static long compilerMillis() {
        return COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported() ? COMPILER.getTotalCompilationTime()
                : 0;
    }

    /**
     * What is known of the subjects when it ends.
     *
     * @param seconds that it took
     * @param changes what the last window's fastest rounds take of the ones before, of each subject; NaN where there
     *     was one window alone
     * @param compiling the part of the last window in which the compiler worked
     * @param settled whether all of them had settled, for as many windows as it takes
     */
    record Outcome(double seconds, double[] changes, double compiling, boolean settled) {

        private boolean isAlike(int subject) {
            return compiling <= COMPILING && Math.abs(changes[subject] - 1) <= TOLERANCE;
        }

        /**
         * Empty where all have settled, since what one shares with another is warm then; else a sentence for a
         * subject's row.
         */
        String note(int subject) {
            if (settled) {
                return "";
            }
            String why = Double.isNaN(changes[subject]) ? "which was too short to tell"
                    : Math.abs(changes[subject] - 1) > TOLERANCE ? String.format(Locale.ROOT,
                            "at its end it took %.2f of what it took shortly before", changes[subject])
                    : compiling > COMPILING ? String.format(Locale.ROOT,
                            "at its end the JVM still compiled, %.0f %% of the time", 100 * compiling)
                    : "it was not alike for long, or others beside it were not";
            return String.format(Locale.ROOT, Row.NOT_SETTLED + " after %.1f s of warm-up: %s", seconds, why);
        }
    }

    /**
     * Takes rounds until all have settled, and tells how much of the most that it may take is over.
     *
     * @param round see {@link #take(Supplier)}
     */
    Outcome take(Supplier<double[]> round, Progress progress) {
        long begin = nanoTime.getAsLong();
        double most = Math.max(1, mostWindows * windowMillis);
        Outcome outcome = take(() -> {
            progress.at(WORK,
                    (long) Math.min(MOST_PERCENT - 1, MOST_PERCENT * (nanoTime.getAsLong() - begin) / 1e6 / most),
                    MOST_PERCENT);
            return round.get();
        });
        progress.at(WORK, MOST_PERCENT, MOST_PERCENT);
        return outcome;
    }

    /**
     * Takes rounds until all have settled.
     *
     * @param round runs each subject once and gives its time, in any unit; always as many
     */
    Outcome take(Supplier<double[]> round) {
        long begin = nanoTime.getAsLong();
        double[] before = null;
        int alike = 0;
        while (true) {
            long start = nanoTime.getAsLong();
            long compiled = compilerMillis.getAsLong();
            double[] fastest = null;
            double millis = 0;
            for (int rounds = 0; rounds < LEAST_ROUNDS || millis < windowMillis; rounds++) {
                fastest = lesser(fastest, round.get());
                millis = (nanoTime.getAsLong() - start) / 1e6;
            }
            double seconds = (nanoTime.getAsLong() - begin) / 1e9;
            double[] changes = ratios(fastest, before);
            double compiling = (compilerMillis.getAsLong() - compiled) / Math.max(millis, 1e-6);
            Outcome outcome = new Outcome(seconds, changes, compiling, false);
            alike = IntStream.range(0, changes.length).allMatch(outcome::isAlike) ? alike + 1 : 0;
            boolean over = seconds * 1e3 >= mostWindows * windowMillis;
            // What takes long has a window to be compared with too, where there is to be any warm-up.
            if (alike == WINDOWS_ALIKE || over && (before != null || windowMillis == 0)) {
                return new Outcome(seconds, changes, compiling, alike == WINDOWS_ALIKE);
            }
            before = fastest;
        }
    }

    private static double[] lesser(double[] a, double[] b) {
        if (a == null) {
            return b.clone();
        }
        for (int i = 0; i < a.length; i++) {
            a[i] = Math.min(a[i], b[i]);
        }
        return a;
    }

    private static double[] ratios(double[] of, double[] to) {
        double[] all = new double[of.length];
        Arrays.setAll(all, i -> to == null ? Double.NaN : of[i] / to[i]);
        return all;
    }
}
