package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import java.util.List;

/** A ring of stages: one thread of the first warp loads, the other warp reads and hands each stage back. */
final class RingBlames {
    private static final int STAGES = 2;
    private static final int TURNS = 6;
    private static final int TILE = 128;
    private static final int THREADS = 64;
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", STAGES * TILE, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", STAGES);
    private static final SharedRegion.Barriers EMPTY = new SharedRegion.Barriers("empty", STAGES);

    private enum Edit {
        NO_RELEASE, RELEASE_BY_SOME, RELEASE_OF_STAGE_0, RELEASE_OF_NEXT_STAGE, RELEASE_BEFORE_READ,
        RELEASE_IN_EVEN_TURNS, RELAXED_RELEASE, ONE_RELEASE_TOO_MANY_EXPECTED, ONE_RELEASE_TOO_FEW_EXPECTED,
        TWO_LOADERS_EXPECTED, ANNOUNCED_WITHOUT_ARRIVAL, ARRIVED_WITHOUT_BYTES, TOO_MANY_BYTES, TOO_FEW_BYTES,
        READERS_OTHER_PARITY, LOADERS_OTHER_PARITY, LOADERS_SAME_PARITY, READERS_SAME_PARITY,
        READERS_WAIT_FOR_NEXT_STAGE, LOADER_WAITS_FOR_NEXT_STAGE, NO_WAIT_FOR_FULL, NO_WAIT_FOR_EMPTY,
        COPY_ON_NEXT_STAGES_BARRIER, COPY_ON_FIRST_STAGES_BARRIER, COPY_TO_NEXT_STAGE,
        READ_FROM_NEXT_STAGE, NO_INITIALISATION_OF_LAST, NO_INIT_FENCE, NO_SYNC_AFTER_INIT,
        READERS_STOP_EARLY, LOADER_STOPS_EARLY, NO_COPY
    }

    private RingBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.NO_RELEASE, HazardCode.WRONG_ARRIVAL_COUNT, "read",
                        "phase 0 of barrier empty[0] lacks 32 of its 32 arrivals",
                        "('free', ", "no step of the program arrives there", "threads 32-63 of block 0"),
                is(Edit.RELEASE_BY_SOME, HazardCode.WRONG_ARRIVAL_COUNT, "release",
                        "phase 0 of barrier empty[0] lacks 16 of its 32 arrivals",
                        "only threads 32-47", "('some of them', "),
                is(Edit.RELEASE_OF_STAGE_0, HazardCode.PHASE_NOT_KNOWN, "release", "empty[0]"),
                is(Edit.RELEASE_OF_NEXT_STAGE, HazardCode.WRONG_PARITY, "release", "another stage"),
                is(Edit.RELEASE_BEFORE_READ, HazardCode.OVERWRITE_UNREAD, "release", "before"),
                is(Edit.RELEASE_IN_EVEN_TURNS, HazardCode.WRONG_ARRIVAL_COUNT, "release", "empty[1] lacks 32 of its 32",
                        "('now and then', "),
                is(Edit.RELAXED_RELEASE, HazardCode.OVERWRITE_UNREAD, "release", "relaxed"),
                is(Edit.ONE_RELEASE_TOO_MANY_EXPECTED, HazardCode.WRONG_ARRIVAL_COUNT, "readers",
                        "lacks 1 of its 33 arrivals",
                        "threads 32-63 of block 0 have arrived", "initialise it with 32"),
                is(Edit.ONE_RELEASE_TOO_FEW_EXPECTED, HazardCode.WRONG_ARRIVAL_COUNT, "readers"),
                is(Edit.TWO_LOADERS_EXPECTED, HazardCode.WRONG_ARRIVAL_COUNT, "loader",
                        "full[0] lacks 1 of its 2 arrivals"),
                is(Edit.ANNOUNCED_WITHOUT_ARRIVAL, HazardCode.WRONG_ARRIVAL_COUNT, "announce",
                        "full[0] lacks its only arrival"),
                is(Edit.ARRIVED_WITHOUT_BYTES, HazardCode.TX_TOO_SMALL, "announce", "full[0]"),
                is(Edit.TOO_MANY_BYTES, HazardCode.TX_TOO_LARGE, "announce",
                        "full[0]", "256 announced", "128 under way"),
                is(Edit.TOO_FEW_BYTES, HazardCode.TX_TOO_SMALL, "announce", "full[0]"),
                is(Edit.READERS_OTHER_PARITY, HazardCode.WRONG_PARITY, "landed", "full[0]"),
                is(Edit.LOADERS_OTHER_PARITY, HazardCode.WRONG_PARITY, "free", "empty[0]", "wait for parity 1 first"),
                is(Edit.LOADERS_SAME_PARITY, HazardCode.WRONG_PARITY, "free", "empty[0]"),
                is(Edit.READERS_SAME_PARITY, HazardCode.WRONG_PARITY, "landed", "full[0]"),
                is(Edit.READERS_WAIT_FOR_NEXT_STAGE, HazardCode.READ_IN_FLIGHT, "landed", "full[1]"),
                is(Edit.LOADER_WAITS_FOR_NEXT_STAGE, HazardCode.WRONG_PARITY, "free", "another stage"),
                is(Edit.NO_WAIT_FOR_FULL, HazardCode.READ_IN_FLIGHT, "read", "full[0]"),
                is(Edit.NO_WAIT_FOR_EMPTY, HazardCode.WRONG_ARRIVAL_COUNT, "announce", "full[0]"),
                is(Edit.COPY_ON_NEXT_STAGES_BARRIER, HazardCode.READ_IN_FLIGHT, "load", "full[1]"),
                is(Edit.COPY_ON_FIRST_STAGES_BARRIER, HazardCode.TX_TOO_LARGE, "load", "counted on barrier full[0]",
                        "full[1] waits for 128 more bytes"),
                is(Edit.COPY_TO_NEXT_STAGE, HazardCode.READ_IN_FLIGHT, "load", "of another stage"),
                is(Edit.READ_FROM_NEXT_STAGE, HazardCode.READ_IN_FLIGHT, "read"),
                is(Edit.NO_INITIALISATION_OF_LAST, HazardCode.BARRIER_NOT_INITIALISED, "readers", "empty[1]"),
                is(Edit.NO_INIT_FENCE, HazardCode.BARRIER_INIT_NOT_VISIBLE, "load", "fence.mbarrier_init"),
                is(Edit.NO_SYNC_AFTER_INIT, HazardCode.BARRIER_INIT_NOT_VISIBLE, "landed", "full[0]"),
                is(Edit.READERS_STOP_EARLY, HazardCode.EXIT_IN_FLIGHT, "load"),
                is(Edit.LOADER_STOPS_EARLY, HazardCode.WRONG_ARRIVAL_COUNT, "announce", "full[1] lacks", "has ended"),
                is(Edit.NO_COPY, HazardCode.TX_TOO_LARGE, "announce", "full[0]"));
    }

    private static final Blame.Runner RUNNER = RingBlames::check;

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("ring", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(THREADS, 1, 1, List.of(RING, FULL, EMPTY), body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        int readers = edit == Edit.ONE_RELEASE_TOO_MANY_EXPECTED ? 33
                : edit == Edit.ONE_RELEASE_TOO_FEW_EXPECTED ? 31 : 32;
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("stages").loop("i", STAGES, (each, i) ->
                    each.purpose("loader").barrierInit(FULL.at(i), edit == Edit.TWO_LOADERS_EXPECTED ? 2 : 1));
            one.purpose("stages").loop("i", edit == Edit.NO_INITIALISATION_OF_LAST ? 1 : STAGES, (each, i) ->
                    each.purpose("readers").barrierInit(EMPTY.at(i), readers));
            if (edit != Edit.NO_INIT_FENCE) {
                one.purpose("for the engine").barrierInitFence();
            }
        });
        if (edit != Edit.NO_SYNC_AFTER_INIT) {
            body.purpose("set up").syncThreads();
        }
        body.purpose("loader").when(T.isEqualTo(0), one -> one.purpose("turns")
                .loop("turn", edit == Edit.LOADER_STOPS_EARLY ? TURNS - 1 : TURNS,
                        (each, turn) -> load(each, turn, edit)));
        body.purpose("readers").when(T.atLeast(32), rest -> rest.purpose("turns")
                .loop("turn", edit == Edit.READERS_STOP_EARLY ? TURNS - 1 : TURNS,
                        (each, turn) -> read(each, turn, edit)));
    }

    private static Expr next(Expr stage, boolean next) {
        return next ? stage.plus(1).modulo(STAGES) : stage;
    }

    private static void load(Body body, Expr turn, Edit edit) {
        Expr stage = turn.modulo(STAGES);
        Expr round = turn.dividedBy(STAGES);
        if (edit != Edit.NO_WAIT_FOR_EMPTY) {
            body.purpose("free").waitParity(EMPTY.at(next(stage, edit == Edit.LOADER_WAITS_FOR_NEXT_STAGE)),
                    edit == Edit.LOADERS_SAME_PARITY ? Expr.of(1)
                            : round.plus(edit == Edit.LOADERS_OTHER_PARITY ? 0 : 1).modulo(2));
        }
        Expr bytes = Expr.of(edit == Edit.TOO_MANY_BYTES ? 2 * TILE : edit == Edit.TOO_FEW_BYTES ? TILE / 2 : TILE);
        if (edit == Edit.ANNOUNCED_WITHOUT_ARRIVAL) {
            body.purpose("announce").expectTx(FULL.at(stage), bytes);
        } else if (edit == Edit.ARRIVED_WITHOUT_BYTES) {
            body.purpose("announce").arrive(FULL.at(stage));
        } else {
            body.purpose("announce").arriveExpectTx(FULL.at(stage), bytes);
        }
        if (edit != Edit.NO_COPY) {
            body.purpose("load").bulkLoad(RING.at(next(stage, edit == Edit.COPY_TO_NEXT_STAGE).times(TILE)),
                    from(turn.times(TILE)), TILE, FULL.at(edit == Edit.COPY_ON_FIRST_STAGES_BARRIER ? Expr.of(0)
                            : next(stage, edit == Edit.COPY_ON_NEXT_STAGES_BARRIER)));
        }
    }

    private static void read(Body body, Expr turn, Edit edit) {
        Expr stage = turn.modulo(STAGES);
        if (edit != Edit.NO_WAIT_FOR_FULL) {
            body.purpose("landed").waitParity(FULL.at(next(stage, edit == Edit.READERS_WAIT_FOR_NEXT_STAGE)),
                    edit == Edit.READERS_SAME_PARITY ? Expr.of(0)
                            : turn.dividedBy(STAGES).plus(edit == Edit.READERS_OTHER_PARITY ? 1 : 0).modulo(2));
        }
        if (edit == Edit.RELEASE_BEFORE_READ) {
            body.purpose("release").arrive(EMPTY.at(stage));
        }
        Expr word = T.minus(32).times(4);
        Fragment f = body.purpose("read").load("word", ElementType.U32, 1,
                RING.at(next(stage, edit == Edit.READ_FROM_NEXT_STAGE).times(TILE).plus(word)));
        release(body, turn, edit);
        body.purpose("write").store(to(turn.times(TILE).plus(word)), f);
    }

    private static void release(Body body, Expr turn, Edit edit) {
        Expr stage = turn.modulo(STAGES);
        Address.Barrier empty = EMPTY.at(edit == Edit.RELEASE_OF_STAGE_0 ? Expr.of(0)
                : next(stage, edit == Edit.RELEASE_OF_NEXT_STAGE));
        if (edit == Edit.NO_RELEASE || edit == Edit.RELEASE_BEFORE_READ) {
            return;
        }
        if (edit == Edit.RELEASE_BY_SOME) {
            body.purpose("some of them").when(T.lessThan(48), b -> b.purpose("release").arrive(empty));
        } else if (edit == Edit.RELEASE_IN_EVEN_TURNS) {
            body.purpose("now and then").when(turn.modulo(2).isEqualTo(0), b -> b.purpose("release").arrive(empty));
        } else {
            body.purpose("release").arrive(empty)
                    .order(edit == Edit.RELAXED_RELEASE ? ArriveOrder.RELAXED_CTA : ArriveOrder.DEFAULT);
        }
    }
}
