package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync.Memory;
import java.util.List;

/**
 * All threads fill one of two tiles while the other is stored by a bulk copy, or the only tile once. A missing meeting
 * before the copy is told from one after the wait for it.
 */
final class TwoTileBlames {
    private static final int THREADS = 64;
    private static final int TURNS = 5;
    private static final int TILE = 4 * THREADS;
    private static final SharedRegion.Buffer TILES = new SharedRegion.Buffer("tiles", 2 * TILE, 128);

    private enum Edit {
        NO_SYNC_BEFORE_STORE, NO_SYNC_AFTER_WAIT, WAIT_LEAVES_TWO
    }

    private static final Blame.Runner TWO = edit -> Blame.check(THREADS, 1, 1, List.of(TILES),
            body -> turns(body, (Edit) edit));
    private static final Blame.Runner ONE = edit -> Blame.check(THREADS, 1, 1, List.of(TILES),
            body -> once(body, (Edit) edit));

    private TwoTileBlames() {
    }

    static List<Blame> all() {
        return List.of(
                new Blame("two tiles", Edit.NO_SYNC_BEFORE_STORE, HazardCode.MISSING_BARRIER, "store", TWO,
                        List.of("put __syncthreads() between step 6 and step 9", "before the copy reads")),
                new Blame("two tiles", Edit.NO_SYNC_AFTER_WAIT, HazardCode.OVERWRITE_IN_STORE, "fill", TWO,
                        List.of("put __syncthreads() after the wait")),
                new Blame("two tiles", Edit.WAIT_LEAVES_TWO, HazardCode.OVERWRITE_IN_STORE, "has read", TWO,
                        List.of("leave fewer groups pending")),
                new Blame("one tile", Edit.NO_SYNC_BEFORE_STORE, HazardCode.MISSING_BARRIER, "store", ONE,
                        List.of("put __syncthreads() between step 2 and step 5", "before the copy reads")));
    }

    private static void turns(Body body, Edit edit) {
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            Expr tile = turn.modulo(2).times(TILE);
            each.purpose("one").when(T.isEqualTo(0), one -> one.purpose("has read")
                    .bulkWaitRead(edit == Edit.WAIT_LEAVES_TWO ? 2 : 1));
            if (edit != Edit.NO_SYNC_AFTER_WAIT) {
                each.purpose("free").syncThreads();
            }
            fill(each, tile, turn.times(TILE), edit);
            each.purpose("one").when(T.isEqualTo(0), one -> store(one, tile, turn.times(TILE)));
        });
        body.purpose("one").when(T.isEqualTo(0), one -> one.purpose("all read").bulkWaitRead(0));
    }

    private static void once(Body body, Edit edit) {
        fill(body, Expr.of(0), Expr.of(0), edit);
        body.purpose("one").when(T.isEqualTo(0), one -> {
            store(one, Expr.of(0), Expr.of(0));
            one.purpose("all read").bulkWaitRead(0);
        });
    }

    private static void fill(Body body, Expr tile, Expr at, Edit edit) {
        Fragment f = body.purpose("word").load("word", ElementType.U32, 1, from(at.plus(T.times(4))));
        body.purpose("fill").store(TILES.at(tile.plus(T.times(4))), f);
        body.purpose("fence").proxyFence(Memory.SHARED);
        if (edit != Edit.NO_SYNC_BEFORE_STORE) {
            body.purpose("filled").syncThreads();
        }
    }

    private static void store(Body body, Expr tile, Expr at) {
        body.purpose("store").bulkStore(to(at), TILES.at(tile), TILE);
        body.purpose("group").bulkCommit();
    }
}
