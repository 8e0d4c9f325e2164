package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One warp loads tiles into a ring, the others read them and hand the stages back through a second array of barriers:
 * the usual shape of fast kernels, which none of the presets has.
 */
class WarpSpecializedTest {
    private static final int STAGES = 3;
    private static final int TURNS = 8;
    private static final int TILE = 384;
    private static final int CONSUMERS = 96;
    private static final int THREADS = 32 + CONSUMERS;
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", STAGES * TILE, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", STAGES);
    private static final SharedRegion.Barriers EMPTY = new SharedRegion.Barriers("empty", STAGES);
    private static final Expr T = Builtin.THREAD;

    /** What is wrong, and what is reported then. */
    enum Change {
        NOTHING(Set.of()),
        NO_WAIT_FOR_EMPTY(Set.of(HazardCode.WRONG_ARRIVAL_COUNT)),
        WRONG_PARITY_OF_EMPTY(Set.of(HazardCode.WRONG_PARITY)),
        WRONG_PARITY_OF_FULL(Set.of(HazardCode.WRONG_PARITY)),
        TOO_FEW_CONSUMERS_EXPECTED(Set.of(HazardCode.WRONG_ARRIVAL_COUNT)),
        TOO_MANY_CONSUMERS_EXPECTED(Set.of(HazardCode.WRONG_ARRIVAL_COUNT)),
        ARRIVES_BEFORE_READING(Set.of(HazardCode.OVERWRITE_UNREAD)),
        ARRIVES_RELAXED(Set.of(HazardCode.OVERWRITE_UNREAD)),
        WAITS_RELAXED(Set.of(HazardCode.READ_IN_FLIGHT)),
        NO_WAIT_FOR_FULL(Set.of(HazardCode.READ_IN_FLIGHT));

        private final Set<HazardCode> expected;

        Change(Set<HazardCode> expected) {
            this.expected = expected;
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsWrongIsFound(Change change) {
        HazardReport report = check(change, HazardOptions.DEFAULT);
        if (change == Change.NOTHING) {
            assertEquals(List.of(), report.findings(), report::toString);
        } else {
            assertTrue(report.codes().containsAll(change.expected), report::toString);
        }
    }

    @Test
    void noOrderMakesAHazard() {
        HazardReport report = check(Change.NOTHING, HazardOptions.DEFAULT.withSeeds(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L));
        assertEquals(List.of(), report.findings(), report::toString);
    }

    private static HazardReport check(Change change, HazardOptions options) {
        TileProgram program = new TileProgram("warp_specialized", "loads with one warp, reads with the others", THREADS,
                List.of(SOURCE, RESULT), new SharedLayout(List.of(RING, FULL, EMPTY)),
                Body.steps(body -> write(body, change)));
        Launch launch = Launch.of(program, 2, Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1)));
        try (Arena arena = Arena.ofConfined()) {
            return HazardCheck.check(launch, List.of(arena.allocate(2 * TURNS * TILE, 256),
                    arena.allocate(2 * TURNS * TILE, 256)), options);
        }
    }

    private static void write(Body body, Change change) {
        int consumers = change == Change.TOO_FEW_CONSUMERS_EXPECTED ? 1 : change == Change.TOO_MANY_CONSUMERS_EXPECTED
                ? THREADS : CONSUMERS;
        body.purpose("one thread sets up").when(T.isEqualTo(0), one -> {
            one.purpose("each stage").loop("fresh", 0, STAGES, 1, (each, i) -> {
                each.purpose("bytes of the loading thread").barrierInit(FULL.at(i), 1);
                each.purpose("an arrival of each reader").barrierInit(EMPTY.at(i), consumers);
            });
            one.purpose("known to the copy engine").barrierInitFence();
        });
        body.purpose("set up").syncThreads();
        body.purpose("one thread of the first warp")
                .when(T.isEqualTo(0), one -> one.purpose("a tile a turn")
                .loop("load", 0, TURNS, 1, (each, turn) -> produce(each, turn, change)));
        body.purpose("the other warps")
                .when(T.atLeast(32), rest -> rest.purpose("a tile a turn")
                .loop("read", 0, TURNS, 1, (each, turn) -> consume(each, turn, change)));
    }

    private static void produce(Body body, Expr turn, Change change) {
        Expr stage = body.purpose("its stage").let("load_stage", turn.modulo(STAGES));
        Expr round = turn.dividedBy(STAGES);
        if (change != Change.NO_WAIT_FOR_EMPTY) {
            // A fresh barrier lets the wait for the phase before its first one pass.
            body.purpose("the stage is free")
                    .waitParity(EMPTY.at(stage), round.plus(change == Change.WRONG_PARITY_OF_EMPTY ? 0 : 1).modulo(2));
        }
        body.purpose("announce").arriveExpectTx(FULL.at(stage), TILE);
        body.purpose("load")
                .bulkLoad(RING.at(stage.times(TILE)), new Address.Global(SOURCE, tile(turn).toS64()), TILE,
                FULL.at(stage));
    }

    private static void consume(Body body, Expr turn, Change change) {
        Expr stage = body.purpose("its stage").let("read_stage", turn.modulo(STAGES));
        Expr parity = turn.dividedBy(STAGES).plus(change == Change.WRONG_PARITY_OF_FULL ? 1 : 0).modulo(2);
        if (change != Change.NO_WAIT_FOR_FULL) {
            body.purpose("it has landed")
                    .waitParity(FULL.at(stage), parity).order(change == Change.WAITS_RELAXED ? WaitOrder.RELAXED_CTA
                    : WaitOrder.DEFAULT);
        }
        if (change == Change.ARRIVES_BEFORE_READING) {
            arrive(body, stage, ArriveOrder.DEFAULT);
        }
        Fragment word = body.purpose("read")
                .load("word", ElementType.U32, 1, RING.at(stage.times(TILE).plus(T.minus(32).times(4))));
        if (change != Change.ARRIVES_BEFORE_READING) {
            arrive(body, stage, change == Change.ARRIVES_RELAXED ? ArriveOrder.RELAXED_CTA : ArriveOrder.DEFAULT);
        }
        body.purpose("write").store(new Address.Global(RESULT, tile(turn).plus(T.minus(32).times(4)).toS64()), word);
    }

    private static void arrive(Body body, Expr stage, ArriveOrder order) {
        body.purpose("hand the stage back").issue(new MbarrierArrive().withOrder(order).withResult(ArriveResult.SINK),
                Input.of(EMPTY.at(stage)));
    }

    private static Expr tile(Expr turn) {
        return Builtin.BLOCK.times(TURNS).plus(turn).times(TILE);
    }
}
