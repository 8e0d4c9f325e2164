package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import java.util.List;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Instructions of whole warps are refused where lanes go different ways, and nowhere else. */
class WarpCheckTest {
    private static final Expr T = Builtin.THREAD;
    private static final Parameter.Int COUNT = new Parameter.Int("count", IntType.S32);

    @Test
    void theRuleAndWhatToDo() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> program(Dim3.of(64), body ->
                body.purpose("half a warp").when(T.lessThan(16), b -> b.purpose("meet").namedBarrier(1, 64).sync())));
        assertTrue(e.getMessage()
                .startsWith("barrier.sync.aligned is performed by all lanes of a warp together, and 'half a "
                + "warp' lets lanes of one warp go different ways: let the condition be the same for all 32 lanes, as "
                + "one on "
                + "thread / 32 or on a multiple of 32 is (step: meet, added at WarpCheckTest.java:"), e.getMessage());
    }

    /** Whatever the bounds are: refused exactly where some warp is cut. */
    @Property(tries = 300)
    void aRangeOfThreadsIsRefusedWhereItCutsAWarp(@ForAll @IntRange(min = 1, max = 160) int threads,
            @ForAll @IntRange(max = 160) int from, @ForAll @IntRange(max = 160) int until) {
        boolean cuts = false;
        for (int t = 1; t < threads; t++) {
            cuts |= t % 32 != 0 && (from <= t && t < until) != (from <= t - 1 && t - 1 < until);
        }
        assertEquals(cuts, isRefused(Dim3.of(threads), T.atLeast(from).and(T.lessThan(until))));
    }

    @Test
    void conditionsThatAreTheSameForAWarp() {
        taken(T.dividedBy(32).isEqualTo(0));
        taken(T.shiftRight(5).bitAnd(1).isEqualTo(1));
        taken(T.lessThan(32).or(T.atLeast(64)));
        taken(T.minus(T.modulo(32)).isEqualTo(96));
        taken(Builtin.BLOCK.isEqualTo(3));
        taken(COUNT.value().greaterThan(T.dividedBy(32)));
        taken(T.bitAnd(31).lessThan(32));
        // A row of 32 threads is a warp.
        assertTrue(!isRefused(Dim3.of(32, 4), Builtin.THREAD_Y.isEqualTo(2)));
    }

    @Test
    void conditionsThatDependOnTheLane() {
        refused(T.isEqualTo(0));
        refused(T.modulo(32).isEqualTo(0));
        refused(T.lessThan(COUNT.value()));
        refused(T.plus(Builtin.BLOCK).modulo(2).isEqualTo(0));
        refused(T.lessThan(33));
        // Two rows of 16 threads are a warp.
        assertTrue(isRefused(Dim3.of(16, 8), Builtin.THREAD_Y.isEqualTo(2)));
    }

    /** Lanes that have left a loop's turn are not there for the rest of it, but for what comes after the loop. */
    @Property(tries = 200)
    void theRestOfATurnThatSomeLanesHaveLeft(@ForAll @IntRange(max = 128) int until, @ForAll boolean leaves,
            @ForAll boolean nested, @ForAll boolean after) {
        boolean cuts = until % 32 != 0;
        assertEquals(cuts && !after, isRefused(Dim3.of(128), body -> {
            body.loop("i", 4, (turn, i) -> {
                Consumer<Body> jump = b -> b.when(T.lessThan(until), leaves ? Body::breakLoop : Body::continueLoop);
                if (nested) {
                    turn.when(i.isEqualTo(2), jump);
                } else {
                    jump.accept(turn);
                }
                if (!after) {
                    turn.namedBarrier(1, 128).sync();
                }
            });
            body.namedBarrier(2, 128).sync();
        }));
    }

    @Test
    void throughVariablesLoopsAndProcedures() {
        assertTrue(!isRefused(Dim3.of(128), body -> {
            Expr warp = body.let("warp", T.dividedBy(32));
            Value two = body.let("two", warp.modulo(2).toValue());
            body.loop("i", warp, 8, 4, (b, i) -> b.when(warp.lessThan(2), c ->
                    c.when(two.toIndex().isEqualTo(1), d -> d.namedBarrier(1, 32).sync())));
        }));
        assertTrue(isRefused(Dim3.of(128), body -> {
            Expr lane = body.let("lane", T.modulo(32));
            body.when(lane.isEqualTo(0), b -> b.namedBarrier(1, 32).sync());
        }));
        assertTrue(isRefused(Dim3.of(128), body ->
                body.loop("i", T, 200, 128, (b, _) -> b.namedBarrier(1, 32).sync())));
        assertTrue(!isRefused(Dim3.of(128), body ->
                body.loop("i", T, 256, 128, (b, _) -> b.namedBarrier(1, 32).sync())));
        Expr.Var part = new Expr.Var("part", IntType.S32);
        Procedure meet = Procedure.of("meet", "warps meet", List.of(part), b ->
                b.when(part.isEqualTo(0), c -> c.namedBarrier(1, 32).sync()));
        assertTrue(!isRefused(Dim3.of(128), body -> body.call(meet, T.dividedBy(64))));
        assertTrue(isRefused(Dim3.of(128), body -> body.call(meet, T.bitAnd(1))));
    }

    @Test
    void namedBarriersThatNoBlockHas() {
        says("a block has the named barriers 0 to 15, got 16 (step: ", b -> b.namedBarrier(16, 64).sync());
        says("a named barrier is for a positive multiple of 32 threads, as whole warps come to it, got 48 (step: ",
                b -> b.namedBarrier(1, 48).arrive());
        says("a named barrier is for a positive multiple of 32 threads, as whole warps come to it, got 0 (step: ",
                b -> b.namedBarrier(1, 0).arrive());
        says("a named barrier for 160 threads never opens in a block of 128: give the number of threads that come "
                + "(step: ", b -> b.namedBarrier(1, 160).count(Value.of(T.isEqualTo(0))));
    }

    private static void says(String start, Consumer<Body> code) {
        String message = assertThrows(IllegalArgumentException.class, () -> program(Dim3.of(128), code)).getMessage();
        assertTrue(message.startsWith(start), message);
    }

    private static void taken(Expr condition) {
        assertTrue(!isRefused(Dim3.of(128), condition), condition.toString());
    }

    private static void refused(Expr condition) {
        assertTrue(isRefused(Dim3.of(128), condition), condition.toString());
    }

    private static boolean isRefused(Dim3 block, Expr condition) {
        boolean first = isRefused(block, body -> body.when(condition, b -> b.namedBarrier(1, 32).sync()));
        assertEquals(first,
                isRefused(block, body -> body.when(condition, _ -> { }, b -> b.namedBarrier(1, 32).sync())));
        return first;
    }

    private static boolean isRefused(Dim3 block, Consumer<Body> code) {
        try {
            program(block, code);
            return false;
        } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().contains("lets lanes of one warp go different ways"), e.getMessage());
            return true;
        }
    }

    private static void program(Dim3 block, Consumer<Body> code) {
        new TileProgram("small", "one barrier", block, ClusterSize.NONE, List.of(COUNT), new SharedLayout(List.of()),
                Body.steps(code));
    }
}
