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
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync.Memory;
import java.util.List;

/** An epilogue: all threads fill a tile in shared memory, one thread stores it by a bulk copy, and so again. */
final class StoreBlames {
    private static final int THREADS = 64;
    private static final int TURNS = 3;
    private static final int TILE = 4 * THREADS;
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("tile", TILE, 128);

    private enum Edit {
        NO_FENCE, FENCE_BY_STORING_THREAD_EARLY, FENCE_BEFORE_FILLING, FENCE_OF_GLOBAL_MEMORY, NO_SYNC_BEFORE_STORE,
        NO_COMMIT, COMMIT_BEFORE_STORE, NO_WAIT, WAIT_BEFORE_COMMIT, WAIT_BY_ANOTHER_THREAD, WAIT_LEAVES_ONE,
        NO_SYNC_AFTER_WAIT, NO_LAST_WAIT
    }

    private static final Blame.Runner RUNNER = StoreBlames::check;

    private StoreBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.NO_FENCE, HazardCode.MISSING_PROXY_FENCE, "store", "put fence.proxy.async after the writes"),
                is(Edit.FENCE_BY_STORING_THREAD_EARLY, HazardCode.MISSING_PROXY_FENCE, "fence", "of thread 0"),
                is(Edit.FENCE_BEFORE_FILLING, HazardCode.MISSING_PROXY_FENCE, "fence", "comes before those writes"),
                is(Edit.FENCE_OF_GLOBAL_MEMORY, HazardCode.MISSING_PROXY_FENCE, "fence", "is for global memory alone"),
                is(Edit.NO_SYNC_BEFORE_STORE, HazardCode.MISSING_BARRIER, "store", "put __syncthreads() between"),
                is(Edit.NO_COMMIT, HazardCode.GROUP_NOT_COMMITTED, "store", "commit the group after the copy"),
                is(Edit.COMMIT_BEFORE_STORE, HazardCode.GROUP_NOT_COMMITTED, "group", "before the copy started"),
                is(Edit.NO_WAIT, HazardCode.OVERWRITE_IN_STORE, "fill", "cp.async.bulk.wait_group.read"),
                is(Edit.WAIT_BEFORE_COMMIT, HazardCode.OVERWRITE_IN_STORE, "has read", "committed later"),
                is(Edit.WAIT_BY_ANOTHER_THREAD, HazardCode.OVERWRITE_IN_STORE, "has read", "thread 32"),
                is(Edit.WAIT_LEAVES_ONE, HazardCode.OVERWRITE_IN_STORE, "has read", "leaves 1 group unread"),
                is(Edit.NO_SYNC_AFTER_WAIT, HazardCode.OVERWRITE_IN_STORE, "fill", "__syncthreads() after the wait"),
                is(Edit.NO_LAST_WAIT, HazardCode.EXIT_IN_FLIGHT, "store", "wait_group.read 0"));
    }

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("bulk store", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(THREADS, 1, 1, List.of(BUFFER), body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            if (edit == Edit.FENCE_BEFORE_FILLING) {
                each.purpose("fence").proxyFence(Memory.SHARED);
            }
            Fragment f = each.purpose("word").load("word", ElementType.U32, 1, from(turn.times(TILE).plus(T.times(4))));
            each.purpose("fill").store(BUFFER.at(T.times(4)), f);
            if (edit == Edit.FENCE_OF_GLOBAL_MEMORY) {
                each.purpose("fence").proxyFence(Memory.GLOBAL);
            } else if (edit == Edit.FENCE_BY_STORING_THREAD_EARLY) {
                each.purpose("one").when(T.isEqualTo(0), b -> b.purpose("fence").proxyFence(Memory.SHARED));
            } else if (edit != Edit.NO_FENCE && edit != Edit.FENCE_BEFORE_FILLING) {
                each.purpose("fence").proxyFence(Memory.SHARED);
            }
            if (edit != Edit.NO_SYNC_BEFORE_STORE) {
                each.purpose("filled").syncThreads();
            }
            each.purpose("one thread").when(T.isEqualTo(0), one -> store(one, turn, edit));
            if (edit == Edit.WAIT_BY_ANOTHER_THREAD) {
                each.purpose("another").when(T.isEqualTo(32), b -> b.purpose("has read").bulkWaitRead(0));
            }
            if (edit != Edit.NO_SYNC_AFTER_WAIT) {
                each.purpose("again").syncThreads();
            }
        });
    }

    private static void store(Body body, Expr turn, Edit edit) {
        if (edit == Edit.COMMIT_BEFORE_STORE) {
            body.purpose("group").bulkCommit();
        }
        body.purpose("store").bulkStore(to(turn.times(TILE)), BUFFER.at(0), TILE);
        if (edit == Edit.WAIT_BEFORE_COMMIT) {
            body.purpose("has read").bulkWaitRead(0);
        }
        if (edit != Edit.NO_COMMIT && edit != Edit.COMMIT_BEFORE_STORE) {
            body.purpose("group").bulkCommit();
        }
        if (edit == Edit.NO_LAST_WAIT) {
            body.purpose("all but the last").when(turn.lessThan(TURNS - 1), b -> b.purpose("has read").bulkWaitRead(0));
        } else if (edit != Edit.NO_WAIT && edit != Edit.WAIT_BY_ANOTHER_THREAD && edit != Edit.WAIT_BEFORE_COMMIT) {
            body.purpose("has read").bulkWaitRead(edit == Edit.WAIT_LEAVES_ONE ? 1 : 0);
        }
    }
}
