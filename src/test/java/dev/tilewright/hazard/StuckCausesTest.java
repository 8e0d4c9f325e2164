package dev.tilewright.hazard;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Warps that meet at named barriers in turns: a number of threads that does not fit is named, not what waits for it.
 */
class StuckCausesTest {
    private static final int WARPS = 4;
    private static final Expr T = Builtin.THREAD;

    /**
     * Two groups of warps, each of which meets at a barrier of its own and then both at another, turn after turn.
     *
     * @param split the first warp of the second group
     * @param own for how many threads each group's barrier is
     * @param arrives whether the first group only arrives at the barrier of both
     */
    private static void turns(Body body, int split, int[] own, int both, boolean arrives) {
        for (int group = 0; group < 2; group++) {
            int g = group;
            Expr first = T.lessThan(32 * split);
            body.purpose("group " + g).when(g == 0 ? first : first.not(), warps -> turns(warps, each -> {
                each.purpose("own " + g).namedBarrier(1 + g, own[g]).sync();
                if (g == 0 && arrives) {
                    each.purpose("both").namedBarrier(3, both).arrive();
                    each.purpose("back").namedBarrier(4, 32 * WARPS).sync();
                } else {
                    each.purpose("both").namedBarrier(3, 32 * WARPS).sync();
                    if (arrives) {
                        each.purpose("back").namedBarrier(4, 32 * WARPS).arrive();
                    }
                }
            }));
        }
    }

    private static HazardReport check(int split, int[] own, int both, boolean arrives) {
        return check(32 * WARPS, body -> turns(body, split, own, both, arrives));
    }

    private static HazardReport check(int threads, Consumer<Body> code) {
        TileProgram program = new TileProgram("turns", "warps that take turns", threads, List.of(),
                new SharedLayout(List.of()), Body.steps(code));
        return HazardCheck.check(new Launch(program, 1, List.of()), List.of());
    }

    private static void turns(Body warps, Consumer<Body> turn) {
        warps.purpose("turns").loop("turn", 3, (each, _) -> turn.accept(each));
    }

    @Test
    void theBarrierWithAnotherNumberOfThreadsIsNamed() {
        Random random = new Random(25);
        for (int n = 0; n < Thorough.of(15, 60); n++) {
            int split = 1 + random.nextInt(WARPS - 1);
            int[] own = {32 * split, 32 * (WARPS - split)};
            boolean arrives = random.nextBoolean();
            Twins.clean(check(split, own, 32 * WARPS, arrives));
            int wrong = random.nextInt(2);
            own[wrong] += 32 * (1 + random.nextInt(WARPS - own[wrong] / 32));
            HazardReport report = check(split, own, 32 * WARPS, arrives);
            assertEquals(Set.of(HazardCode.NAMED_BARRIER_MISMATCH), report.codes(), report::toString);
            assertEquals("own " + wrong, report.findings().getFirst().location().purpose(), report::toString);
        }
    }

    /** At one barrier one group comes for its own warps, the other for all of the block. */
    @Test
    void stepsThatComeForDifferentNumbersAreNamed() {
        HazardReport report = check(64, body -> body.purpose("roles").when(T.lessThan(32), a -> turns(a, each -> {
                    each.purpose("alone").namedBarrier(1, 32).sync();
                    each.purpose("both").namedBarrier(2, 64).sync();
                }), b -> turns(b, each -> {
                    each.purpose("all of the block").namedBarrier(1, 64).sync();
                    each.purpose("both").namedBarrier(2, 64).sync();
                })));
        assertEquals(Set.of(HazardCode.NAMED_BARRIER_MISMATCH), report.codes(), report::toString);
        String message = report.findings().getFirst().message();
        assertTrue(message.contains("32 threads have come, fewer than the 64") && message.contains("'alone'"), message);
    }

    /** In the order of the run all goes well: in another one the second arrival opens the barrier, and a warp stays. */
    @Test
    void aWarpThatComesTwiceIsFound() {
        for (boolean waits : new boolean[] {false, true}) {
            HazardReport report = check(64, body -> body.when(T.lessThan(32), one -> one.purpose("waits")
                    .namedBarrier(1, 64).sync(), other -> {
                        other.purpose("comes").namedBarrier(1, 64).arrive();
                        if (waits) {
                            other.purpose("waits, too").namedBarrier(1, 64).sync();
                        } else {
                            other.purpose("comes again").namedBarrier(1, 64).arrive();
                        }
                    }));
            assertEquals(Set.of(HazardCode.NAMED_BARRIER_MISMATCH), report.codes(), report::toString);
        }
        HazardReport told = check(64, body -> body.when(T.lessThan(32), one -> {
            one.namedBarrier(1, 64).sync();
            one.namedBarrier(2, 64).arrive();
            one.namedBarrier(1, 64).sync();
        }, other -> {
            other.namedBarrier(1, 64).arrive();
            other.namedBarrier(2, 64).sync();
            other.namedBarrier(1, 64).arrive();
        }));
        assertTrue(told.isClean(), told::toString);
    }

    /** A ring of waits is still one. */
    @Test
    void aRingStaysARing() {
        HazardReport report = check(64, body -> body.purpose("roles").when(T.lessThan(32), a -> turns(a, each -> {
                    each.purpose("filled").namedBarrier(1, 64).sync();
                    each.purpose("free").namedBarrier(2, 64).arrive();
                }), b -> turns(b, each -> {
                    each.purpose("free").namedBarrier(2, 64).sync();
                    each.purpose("filled").namedBarrier(1, 64).arrive();
                })));
        assertEquals(Set.of(HazardCode.DEADLOCK), report.codes(), report::toString);
    }
}
