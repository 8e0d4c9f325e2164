package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** When work counts as warm, by a clock and a compiler that are made up. */
class WarmUpTest {
    private static final int MOST_WINDOWS = 40;
    private static final int WINDOW_MILLIS = 20;

    private long nanos;
    private long compiled;
    private int rounds;

    /** @param millis of a round, by its number @param compiling ms of the compiler's in a round, by its number */
    private WarmUp.Outcome warm(IntToDoubleFunction millis, IntToDoubleFunction compiling) {
        nanos = 0;
        compiled = 0;
        rounds = 0;
        return new WarmUp(WINDOW_MILLIS, MOST_WINDOWS, () -> nanos, () -> compiled).take(() -> {
            double taken = millis.applyAsDouble(rounds);
            compiled += (long) compiling.applyAsDouble(rounds++);
            nanos += (long) (taken * 1e6);
            return new double[] {taken, 1};
        });
    }

    @Property(tries = 100)
    void warmUpEndsOnceTimesAreWithinATenth(@ForAll @IntRange(min = 0, max = 60) int slowRounds,
            @ForAll @DoubleRange(min = 2, max = 20) double factor) {
        WarmUp.Outcome outcome =
                warm(round -> round < slowRounds ? Math.max(2, 2 * factor - round * (2 * factor - 2) / slowRounds)
                : 2, _ -> 0);
        assertEquals("", outcome.note(0));
        assertEquals(2, 2 * outcome.changes()[0], 2 * WarmUp.TOLERANCE + 1e-9);
        assertEquals("", outcome.note(1));
        assertTrue(nanos < MOST_WINDOWS * WINDOW_MILLIS * 1_000_000L, "it takes as long as it may");
    }

    /** Of the most that it may take, and at the end all, though it ended before. */
    @Test
    void itTellsHowFarItIs() {
        List<Long> percents = new ArrayList<>();
        new WarmUp(WINDOW_MILLIS, MOST_WINDOWS, () -> nanos, () -> 0).take(() -> {
            nanos += 4_000_000;
            return new double[] {1};
        }, (_, done, total) -> percents.add(100 * done / total));
        assertEquals(percents.stream().sorted().toList(), percents);
        assertEquals(100, percents.getLast());
        assertEquals(List.of(0L, 0L, 1L, 1L, 2L), percents.subList(0, 5));
        assertEquals(1, percents.stream().filter(percent -> percent == 100).count());
    }

    @Test
    void oneSlowRoundOfAWindowIsNoChange() {
        assertEquals("", warm(round -> round % 4 == 1 ? 90 : 2, _ -> 0).note(0));
        assertTrue(nanos < 400e6, nanos + " ns");
    }

    @Test
    void whatStillChangesAtTheLimitSaysSo() {
        WarmUp.Outcome outcome = warm(round -> 100 * Math.pow(0.9, round), _ -> 0);
        assertTrue(outcome.note(0)
                .matches("not settled after 0\\.[89] s of warm-up: at its end it took 0\\.\\d\\d of what it took"
                + " shortly before"), outcome.note(0));
        assertTrue(outcome.note(1).endsWith(": it was not alike for long, or others beside it were not"),
                outcome.note(1));
        assertEquals(MOST_WINDOWS * WINDOW_MILLIS * 1e6, nanos, 100e6);
    }

    @Test
    void whatTakesLongIsComparedWithOneWindowAtLeast() {
        assertTrue(warm(_ -> 1000, _ -> 0).note(0).endsWith("it was not alike for long, or others beside it were not"));
        assertEquals(2 * WarmUp.LEAST_ROUNDS, rounds);
    }

    @Test
    void slowerIsNotSettledEither() {
        assertFalse(warm(round -> 1 + round * round, _ -> 0).note(0).isEmpty());
    }

    @Test
    void workIsNotWarmWhileItIsCompiled() {
        warm(_ -> 2, round -> round < 100 ? 1 : 0);
        assertTrue(rounds > 100, rounds + " rounds");
        assertTrue(warm(_ -> 2, _ -> 1).note(0).endsWith("the JVM still compiled, 50 % of the time"));
    }

    @Test
    void noTimeIsToldToBeTooLittle() {
        WarmUp none = new WarmUp(0, MOST_WINDOWS);
        int[] taken = new int[1];
        assertTrue(none.take(() -> new double[] {++taken[0]}).note(0).endsWith("which was too short to tell"));
        assertEquals(WarmUp.LEAST_ROUNDS, taken[0]);
    }
}
