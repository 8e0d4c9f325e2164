package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.List;

/**
 * The first warp copies words into a ring; two others take every other stage each, and take turns with a buffer that
 * they share.
 */
final class TurnBlames {
    private static final int STAGES = 3;
    private static final int TURNS = 7;
    private static final int TILE = 128;
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", STAGES * TILE, 128);
    private static final SharedRegion.Buffer DESK = new SharedRegion.Buffer("desk", TILE, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", STAGES);
    private static final SharedRegion.Barriers EMPTY = new SharedRegion.Barriers("empty", STAGES);
    private static final SharedRegion.Barriers ORDER = new SharedRegion.Barriers("order", 2);

    private enum Edit {
        BOTH_GROUPS_EXPECTED, NO_FIRST_TURN, TURN_KEPT, ADDED_ARRIVALS
    }

    private static final Blame.Runner RUNNER = TurnBlames::check;

    private TurnBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.BOTH_GROUPS_EXPECTED, HazardCode.WRONG_ARRIVAL_COUNT, "takers", "empty[0] lacks 32 of its 64",
                        "threads 32-63 of block 0 have arrived", "initialise it with 32"),
                is(Edit.NO_FIRST_TURN, HazardCode.WRONG_PARITY, "my turn", "order[0]", "threads 64-95",
                        "none of them has the first turn", "wait for parity 1 first"),
                is(Edit.TURN_KEPT, HazardCode.WRONG_PARITY, "landed", "full[1] passed for a phase",
                        "where it does, let it wait for the phase before first"),
                is(Edit.ADDED_ARRIVALS, HazardCode.WRONG_ARRIVAL_COUNT, "is full", "full[0] lacks 32 of its 32",
                        "use .noinc there"));
    }

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("turns", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(96, 1, 1, List.of(RING, DESK, FULL, EMPTY, ORDER), body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("stages").loop("i", STAGES, (each, i) -> {
                each.purpose("copiers").barrierInit(FULL.at(i), 32);
                each.purpose("takers").barrierInit(EMPTY.at(i), edit == Edit.BOTH_GROUPS_EXPECTED ? 64 : 32);
            });
            one.purpose("turns").loop("i", 2, (each, i) -> each.purpose("other group").barrierInit(ORDER.at(i), 32));
        });
        body.purpose("set up").syncThreads();
        body.purpose("roles").when(T.lessThan(32),
                copiers -> copiers.purpose("turns").loop("turn", TURNS, (each, turn) -> copy(each, turn, edit)),
                takers -> {
                    Expr.Var group = takers.let("group", T.dividedBy(32).minus(1));
                    takers.purpose("turns").loop("turn", group, TURNS, 2,
                            (each, turn) -> take(each, group, turn, edit));
                });
    }

    private static void copy(Body body, Expr turn, Edit edit) {
        Expr stage = turn.modulo(STAGES);
        body.purpose("free").waitParity(EMPTY.at(stage), turn.dividedBy(STAGES).plus(1).modulo(2));
        body.purpose("copy").cpAsync(RING.at(stage.times(TILE).plus(T.times(4))),
                from(turn.times(TILE).plus(T.times(4))), 4);
        body.purpose("is full").issue(edit == Edit.ADDED_ARRIVALS ? new CpAsyncMbarrierArrive()
                : new CpAsyncMbarrierArrive().withNoinc(), Input.of(FULL.at(stage)));
    }

    private static void take(Body body, Expr group, Expr turn, Edit edit) {
        Expr stage = turn.modulo(STAGES);
        Expr lane = T.modulo(32).times(4);
        Expr round = turn.dividedBy(2);
        body.purpose("landed").waitParity(FULL.at(stage), turn.dividedBy(STAGES).modulo(2));
        Fragment f = body.purpose("read").load("word", ElementType.U32, 1, RING.at(stage.times(TILE).plus(lane)));
        body.purpose("release").arrive(EMPTY.at(stage));
        body.purpose("my turn").waitParity(ORDER.at(group), edit == Edit.NO_FIRST_TURN ? round.modulo(2)
                : round.plus(Expr.of(1).minus(group)).modulo(2));
        body.purpose("lay down").store(DESK.at(lane), f);
        Fragment g = body.purpose("take up").load("again", ElementType.U32, 1, DESK.at(lane));
        body.purpose("write").store(to(turn.times(TILE).plus(lane)), g);
        body.purpose("your turn").arrive(ORDER.at(edit == Edit.TURN_KEPT ? group : Expr.of(1).minus(group)));
    }
}
