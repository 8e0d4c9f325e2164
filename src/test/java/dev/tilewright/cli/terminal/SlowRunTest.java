package dev.tilewright.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a long run, by a clock that the test sets. */
class SlowRunTest {
    private static final long SECOND = 1_000_000_000;

    private final List<String> said = new ArrayList<>();
    private long now = 17;
    private final SlowRun run = new SlowRun(said::add, () -> now, "LIMITS");

    private void after(long seconds, long steps) {
        now += seconds * SECOND;
        run.accept(steps);
    }

    @Test
    void aLongRunIsSpokenOfMoreAndMoreSeldom() {
        long steps = SlowRun.LEAST_STEPS;
        for (int second = 1; second <= 100; second++) {
            after(1, steps + second);
        }
        assertEquals(List.of(3, 6, 12, 24, 48, 96).stream().map(second -> "still running on the CPU: "
                + (steps + second) + " steps of the kernel's threads in " + second + " s; LIMITS").toList(), said);
    }

    @Test
    void ofShortRunsAndOfASlowMachineNothingIsSaid() {
        for (int i = 0; i < 100; i++) {
            after(1, SlowRun.LEAST_STEPS);
            after(1, SlowRun.LEAST_STEPS + 1);
        }
        after(100, 1);
        after(100, SlowRun.LEAST_STEPS - 1);
        assertEquals(List.of(), said);
        after(1, SlowRun.LEAST_STEPS);
        assertEquals(1, said.size());
    }
}
