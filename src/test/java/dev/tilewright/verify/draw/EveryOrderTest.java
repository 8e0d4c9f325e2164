package dev.tilewright.verify.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The reference leaves the same bytes in every way that it runs a kernel. {@code -Dtilewright.orders=N} draws so many
 * kernels of each kind, {@code -Dtilewright.orders.kinds=a,b} only some kinds.
 */
class EveryOrderTest {
    private static final int KERNELS = Integer.getInteger("tilewright.orders", 60);
    /** Without the property, of those kinds whose kernels are not about orders. */
    private static final int OTHERS = Integer.getInteger("tilewright.orders", 5);
    /** Without the property, an ordinary run takes one in so many. */
    private static final int ONE_IN = Integer.getInteger("tilewright.orders") == null ? 7 : 1;
    private static final List<String> ONLY = List.of(System.getProperty("tilewright.orders.kinds", "").split(","));

    static Stream<DrawnKind> kinds() {
        return Kinds.DRAWN.stream().filter(k -> ONLY.contains("") || ONLY.contains(k.name()));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void leavesTheSameBytes(DrawnKind kind) {
        List<String> wrong = new ArrayList<>();
        int kernels = kind.name().equals("batons") ? KERNELS : OTHERS;
        int taken = 0;
        for (int i = 0; i < kernels && wrong.size() < 10; i++) {
            if (!Thorough.takes(i, Math.min(ONE_IN, kernels))) {
                continue;
            }
            taken++;
            DrawnCase c = kind.draw(11, i, new SplittableRandom(i), 1).getFirst();
            for (boolean sliced : new boolean[] {false, true}) {
                List<String> differences = EveryOrder.differences(c.run(), i, sliced);
                if (!differences.isEmpty()) {
                    wrong.add(c + " (" + c.title() + ")" + (sliced ? ", sliced: " : ": ") + differences);
                }
            }
        }
        assertEquals(List.of(), wrong, () -> wrong.size() + " wrong");
        System.err.println(kind.name() + ": " + taken + " kernels, whole and sliced memory, 7 runs each: same bytes");
    }

    /** What was done before the fault is there, in every order: each turn waits for its stores. */
    @Test
    void whereALaunchIsStoppedWhatWasWaitedForIsThere() {
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < KERNELS && wrong.size() < 10; i++) {
            if (!Thorough.takes(i, ONE_IN)) {
                continue;
            }
            DrawnRun run = stopped(i);
            List<String> differences = EveryOrder.differences(run, i, i % 2 == 1);
            if (!differences.isEmpty()) {
                wrong.add("kernel " + i + ": " + differences);
            }
        }
        assertEquals(List.of(), wrong, () -> wrong.size() + " wrong");
    }

    private static DrawnRun stopped(long number) {
        for (long seed = number << 16;; seed++) {
            try {
                return new BatonPrograms(DrawnChoices.random(seed), true).run(number);
            } catch (Redraw e) {
                // Others are drawn.
            }
        }
    }
}
