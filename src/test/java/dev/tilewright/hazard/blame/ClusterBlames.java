package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.St;
import java.util.List;

/**
 * Two blocks of a cluster: each stores a word into the other's shared memory and arrives at its mbarrier; the first one
 * loads a tile for both by multicast.
 */
final class ClusterBlames {
    private static final int THREADS = 32;
    private static final SharedRegion.Buffer WORDS = new SharedRegion.Buffer("words", 4 * THREADS, 128);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 256, 128);
    private static final SharedRegion.Barriers COME = new SharedRegion.Barriers("come", 1);
    private static final SharedRegion.Barriers LOADED = new SharedRegion.Barriers("loaded", 1);
    private static final Address.Barrier IS_COME = COME.at(0);
    private static final Address.Barrier IS_LOADED = LOADED.at(0);

    private enum Edit {
        ARRIVES_FOR_ITS_BLOCK, WAITS_FOR_ITS_BLOCK, ARRIVES_RELAXED, NO_ARRIVAL, NO_WAIT,
        ONE_ARRIVAL_TOO_MANY, MASK_WITHOUT_SECOND, LAST_MASK_WITHOUT_SECOND, ANNOUNCED_BY_FIRST_ALONE, NO_COPY,
        NO_MEETING_AT_START, NO_WAIT_FOR_LOAD, STORES_AFTER_ARRIVAL
    }

    private static final Blame.Runner RUNNER = ClusterBlames::check;

    private ClusterBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.ARRIVES_FOR_ITS_BLOCK, HazardCode.SCOPE_TOO_SMALL, "arrive", ".cluster"),
                is(Edit.WAITS_FOR_ITS_BLOCK, HazardCode.SCOPE_TOO_SMALL, "has come", ".cluster"),
                is(Edit.ARRIVES_RELAXED, HazardCode.FLAG_NOT_ACQUIRED, "arrive", "release"),
                is(Edit.NO_ARRIVAL, HazardCode.WRONG_ARRIVAL_COUNT, "has come", "come[0] lacks 32 of its 32",
                        "no step of the program arrives there"),
                is(Edit.NO_WAIT, HazardCode.MISSING_BARRIER, "leave", "('look', "),
                is(Edit.ONE_ARRIVAL_TOO_MANY, HazardCode.WRONG_ARRIVAL_COUNT, "for words", "lacks 1 of its 33",
                        "block 1"),
                is(Edit.MASK_WITHOUT_SECOND, HazardCode.MULTICAST_MISSING_CTA, "load", "mask 0x1"),
                is(Edit.LAST_MASK_WITHOUT_SECOND, HazardCode.MULTICAST_MISSING_CTA, "load the rest", "mask 0x1"),
                is(Edit.ANNOUNCED_BY_FIRST_ALONE, HazardCode.WRONG_ARRIVAL_COUNT, "announce", "loaded[0] lacks",
                        "('in the first', "),
                is(Edit.NO_COPY, HazardCode.TX_TOO_LARGE, "announce"),
                is(Edit.NO_MEETING_AT_START, HazardCode.MISSING_BARRIER, "leave"),
                is(Edit.NO_WAIT_FOR_LOAD, HazardCode.READ_IN_FLIGHT, "read"),
                is(Edit.STORES_AFTER_ARRIVAL, HazardCode.MISSING_BARRIER, "arrive", "before"));
    }

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("cluster", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(THREADS, 2, 2, List.of(WORDS, TILE, COME, LOADED), body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("for words").barrierInit(IS_COME, edit == Edit.ONE_ARRIVAL_TOO_MANY ? 33 : 32);
            one.purpose("for the tile").barrierInit(IS_LOADED, 1);
            one.purpose("for all").barrierInitFence();
        });
        if (edit != Edit.NO_MEETING_AT_START) {
            body.purpose("set up").clusterSync();
        } else {
            body.purpose("set up").syncThreads();
        }
        Expr other = Expr.of(1).minus(Builtin.CLUSTER_RANK);
        Expr word = body.purpose("there").issue("word", Mapa.ofShared(), Input.of(WORDS.at(T.times(4))),
                Input.of(other));
        Expr barrier = body.purpose("there").issue("barrier", Mapa.ofShared(), Input.of(IS_COME), Input.of(other));
        if (edit != Edit.STORES_AFTER_ARRIVAL) {
            leave(body, word);
        }
        if (edit != Edit.NO_ARRIVAL) {
            ArriveOrder order = edit == Edit.ARRIVES_FOR_ITS_BLOCK ? ArriveOrder.RELEASE_CTA
                    : edit == Edit.ARRIVES_RELAXED ? ArriveOrder.RELAXED_CLUSTER : ArriveOrder.RELEASE_CLUSTER;
            body.purpose("arrive").issue(new MbarrierArrive().withSpace(Space.SHARED_CLUSTER).withOrder(order),
                    Input.of(barrier));
        }
        if (edit == Edit.STORES_AFTER_ARRIVAL) {
            leave(body, word);
        }
        if (edit != Edit.NO_WAIT) {
            body.purpose("has come").waitParity(IS_COME, 0)
                    .order(edit == Edit.WAITS_FOR_ITS_BLOCK ? WaitOrder.ACQUIRE_CTA : WaitOrder.ACQUIRE_CLUSTER);
        }
        Fragment f = body.purpose("look").load("looked", ElementType.U32, 1, WORDS.at(T.times(4)));
        body.purpose("show").store(to(Builtin.BLOCK.times(1024).plus(T.times(4))), f);
        load(body, edit);
        body.purpose("no block leaves").clusterSync();
    }

    private static void leave(Body body, Expr word) {
        body.purpose("leave").issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.B32), Input.of(word),
                Input.of(T));
    }

    private static void load(Body body, Edit edit) {
        if (edit == Edit.ANNOUNCED_BY_FIRST_ALONE) {
            body.purpose("in the first").when(T.isEqualTo(0).and(Builtin.CLUSTER_RANK.isEqualTo(0)), one ->
                    one.purpose("announce").arriveExpectTx(IS_LOADED, 256));
        } else {
            body.purpose("one").when(T.isEqualTo(0), one ->
                    one.purpose("announce").arriveExpectTx(IS_LOADED, 256));
        }
        if (edit != Edit.NO_COPY) {
            body.purpose("for both").when(T.isEqualTo(0).and(Builtin.CLUSTER_RANK.isEqualTo(0)), first -> {
                load(first, "load", 0, edit == Edit.MASK_WITHOUT_SECOND ? 1 : 3);
                load(first, "load the rest", 128, edit == Edit.LAST_MASK_WITHOUT_SECOND ? 1 : 3);
            });
        }
        if (edit != Edit.NO_WAIT_FOR_LOAD) {
            body.purpose("loaded").waitParity(IS_LOADED, 0);
        }
        Fragment g = body.purpose("read").load("tile", ElementType.U32, 1, TILE.at(T.times(4)));
        body.purpose("show").store(to(Builtin.BLOCK.times(1024).plus(T.times(4)).plus(512)), g);
    }

    private static void load(Body body, String purpose, int at, int mask) {
        body.purpose(purpose).issue(new BulkLoad().withMulticast(), Input.of(TILE.at(at)),
                Input.of(from(Expr.of(at))), Input.of(128), Input.of(IS_LOADED), Input.of(mask));
    }
}
