package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.ClusterLaunchControlFirstCtaid.Part;
import dev.tilewright.ptx.cluster.ClusterLaunchControlFirstCtaid;
import dev.tilewright.ptx.cluster.ClusterLaunchControlIsCanceled;
import dev.tilewright.ptx.cluster.ClusterLaunchControlTryCancel;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Blocks that cancel others which have not been started, and do their work: each place of the grid is worked on once,
 * in whatever order.
 */
class CancelledClustersTest {
    private static final Dim3 GRID = new Dim3(5, 3, 2);
    private static final int BLOCKS = 30;
    private static final int THREADS = 32;
    private static final Parameter.Pointer WORK = new Parameter.Pointer("work", true);
    private static final Parameter.Pointer STARTED = new Parameter.Pointer("started", true);
    private static final SharedRegion.Buffer ANSWER = new SharedRegion.Buffer("answer", 16, 16);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);

    private static final Red ADD = Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32);
    private static final Ld WORD = Ld.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U64);

    /** A block does its own work, then asks for more until there is none left. */
    private static TileProgram program(boolean meets) {
        return new TileProgram("work_stealing", "does the work of blocks that have not been started", THREADS,
                List.of(WORK, STARTED), new SharedLayout(List.of(ANSWER, FULL)), Body.steps(body -> body(body, meets)));
    }

    private static void body(Body body, boolean meets) {
        Address.Barrier full = FULL.at(0);
        Address.Shared answer = ANSWER.at(0);
        Expr first = Builtin.THREAD.isEqualTo(0);
        body.when(first, one -> {
            one.barrierInit(full, 1);
            one.barrierInitFence();
            one.issue(ADD, Input.of(new Address.Global(STARTED, 0)), Input.of(1));
        });
        body.syncThreads();
        work(body, Builtin.BLOCK, Builtin.BLOCK_Y, Builtin.BLOCK_Z);
        body.loop("round", 0, BLOCKS, 1, (each, round) -> {
            each.when(first, one -> {
                one.arriveExpectTx(full, 16);
                one.issue(new ClusterLaunchControlTryCancel().withShared(), Input.of(answer), Input.of(full));
            });
            each.waitParity(full, round.bitAnd(1));
            Expr low = each.issue("low", WORD, Input.of(answer));
            Expr high = each.issue("high", WORD, Input.of(ANSWER.at(8)));
            Input.Wide both = new Input.Wide(low, high);
            Expr canceled = each.issue("canceled", new ClusterLaunchControlIsCanceled(), both);
            List<Expr.Var> place = List.of(new Expr.Var("x", IntType.S32), new Expr.Var("y", IntType.S32),
                    new Expr.Var("z", IntType.S32));
            each.add(new Operation.Issue(new ClusterLaunchControlFirstCtaid(Part.V4_SINK), List.of(both), place));
            each.when(canceled.isEqualTo(1), more -> work(more, place.get(0), place.get(1), place.get(2)));
            if (meets) {
                each.syncThreads();
            }
        });
    }

    /** Counts the work of one place. */
    private static void work(Body body, Expr x, Expr y, Expr z) {
        Expr place = z.times(GRID.y()).plus(y).times(GRID.x()).plus(x);
        body.when(Builtin.THREAD.isEqualTo(0),
                one -> one.issue(ADD, Input.of(new Address.Global(WORK, place.times(4).toS64())), Input.of(1)));
    }

    private static Launch launch(boolean meets) {
        return new Launch(program(meets), GRID, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
    }

    private static HazardReport check(boolean meets) {
        return HazardCheck.check(launch(meets), List.of(MemorySegment.ofArray(new int[BLOCKS]),
                MemorySegment.ofArray(new int[1])));
    }

    private static int run(ReferenceOptions options) {
        int[] work = new int[BLOCKS];
        int[] started = new int[1];
        Reference.run(launch(true),
                List.of(MemorySegment.ofArray(work), MemorySegment.ofArray(started)), options);
        assertArrayEquals(IntStream.range(0, BLOCKS).map(_ -> 1).toArray(), work);
        return started[0];
    }

    @Test
    void oneBlockMayDoItAll() {
        assertEquals(1, run(ReferenceOptions.DEFAULT));
    }

    @Test
    void inEveryOrderEachPlaceIsWorkedOnOnce() {
        long[] started = LongStream.range(0, 40).map(seed -> run(ReferenceOptions.DEFAULT.withSeed(seed))).toArray();
        assertTrue(LongStream.of(started).distinct().count() > 3, java.util.Arrays.toString(started));
    }

    @Test
    void theCheckFindsTheAnswerThatIsOverwritten() {
        assertTrue(check(true).isClean(), () -> check(true).toString());
        assertTrue(check(false).findings().stream().anyMatch(f -> f.code() == HazardCode.OVERWRITE_UNREAD),
                () -> check(false).toString());
    }
}
