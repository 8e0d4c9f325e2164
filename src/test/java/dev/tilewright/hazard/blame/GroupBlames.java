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
import java.util.List;

/**
 * The pipeline of the tutorials for sm_80: every thread copies a word of each stage by cp.async, one stage ahead, and
 * reads what its neighbour copied.
 */
final class GroupBlames {
    private static final int THREADS = 64;
    private static final int STAGES = 2;
    private static final int TURNS = 5;
    private static final int TILE = 4 * THREADS;
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("stages", STAGES * TILE, 128);

    private enum Edit {
        WAIT_LEAVES_ONE_MORE, NO_COMMIT, COMMIT_BEFORE_COPY, COMMIT_AFTER_READ, NO_SYNC_AFTER_WAIT, SYNC_BEFORE_WAIT,
        NO_SYNC_AFTER_READ, NO_WAIT, NEXT_STAGE_READ, SAME_STAGE_COPIED, COMMIT_BY_SOME, WAIT_AFTER_READ
    }

    private static final Blame.Runner RUNNER = GroupBlames::check;

    private GroupBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.WAIT_LEAVES_ONE_MORE, HazardCode.WAIT_TOO_SHALLOW, "landed", "leaves 2 groups in flight"),
                is(Edit.NO_COMMIT, HazardCode.GROUP_NOT_COMMITTED, "copy", "commit the group after step 4"),
                is(Edit.COMMIT_BEFORE_COPY, HazardCode.GROUP_NOT_COMMITTED, "group", "before the copy"),
                is(Edit.COMMIT_AFTER_READ, HazardCode.GROUP_NOT_COMMITTED, "group"),
                is(Edit.NO_SYNC_AFTER_WAIT, HazardCode.MISSING_BARRIER, "read", "put __syncthreads() after the wait"),
                is(Edit.SYNC_BEFORE_WAIT, HazardCode.MISSING_BARRIER, "all landed", "put it after that wait"),
                is(Edit.NO_SYNC_AFTER_READ, HazardCode.OVERWRITE_UNREAD, "copy", "__syncthreads()"),
                is(Edit.NO_WAIT, HazardCode.GROUP_NEVER_WAITED, "read", "wait for the group"),
                is(Edit.NEXT_STAGE_READ, HazardCode.WAIT_TOO_SHALLOW, "landed", "('read', "),
                is(Edit.SAME_STAGE_COPIED, HazardCode.OVERWRITE_UNREAD, "copy"),
                is(Edit.COMMIT_BY_SOME, HazardCode.GROUP_NOT_COMMITTED, "group", "does not perform step"),
                is(Edit.WAIT_AFTER_READ, HazardCode.READ_IN_FLIGHT, "read", "('landed', "));
    }

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("cp.async", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(THREADS, 1, 1, List.of(BUFFER), body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        copy(body, Expr.of(0), "first ", edit);
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            if (edit == Edit.COMMIT_BEFORE_COPY) {
                each.purpose("group").cpAsyncCommit();
            }
            each.purpose("one more").when(turn.lessThan(TURNS - 1), b -> {
                Expr next = turn.plus(1);
                Expr stage = (edit == Edit.SAME_STAGE_COPIED ? turn : next).modulo(STAGES);
                b.purpose("copy").cpAsync(BUFFER.at(stage.times(TILE).plus(T.times(4))),
                        from(next.times(TILE).plus(T.times(4))), 4);
            });
            if (edit == Edit.COMMIT_BY_SOME) {
                each.purpose("some").when(T.lessThan(48), b -> b.purpose("group").cpAsyncCommit());
            } else if (edit != Edit.NO_COMMIT && edit != Edit.COMMIT_BEFORE_COPY && edit != Edit.COMMIT_AFTER_READ) {
                each.purpose("group").cpAsyncCommit();
            }
            if (edit == Edit.SYNC_BEFORE_WAIT) {
                each.purpose("all landed").syncThreads();
            }
            if (edit != Edit.NO_WAIT && edit != Edit.WAIT_AFTER_READ) {
                each.purpose("landed").cpAsyncWait(edit == Edit.WAIT_LEAVES_ONE_MORE ? 2 : 1);
            }
            if (edit != Edit.NO_SYNC_AFTER_WAIT && edit != Edit.SYNC_BEFORE_WAIT) {
                each.purpose("all landed").syncThreads();
            }
            Expr stage = turn.plus(edit == Edit.NEXT_STAGE_READ ? 1 : 0).modulo(STAGES);
            Fragment f = each.purpose("read").load("word", ElementType.U32, 1,
                    BUFFER.at(stage.times(TILE).plus(T.plus(1).modulo(THREADS).times(4))));
            if (edit == Edit.WAIT_AFTER_READ) {
                each.purpose("landed").cpAsyncWait(1);
            }
            each.purpose("write").store(to(turn.times(TILE).plus(T.times(4))), f);
            if (edit == Edit.COMMIT_AFTER_READ) {
                each.purpose("group").cpAsyncCommit();
            }
            if (edit != Edit.NO_SYNC_AFTER_READ) {
                each.purpose("all read").syncThreads();
            }
        });
        if (edit != Edit.NO_WAIT) {
            body.purpose("the rest").cpAsyncWait(0);
        }
    }

    private static void copy(Body body, Expr at, String which, Edit edit) {
        body.purpose(which + "copy").cpAsync(BUFFER.at(at.plus(T.times(4))), from(at.plus(T.times(4))), 4);
        body.purpose(which + "group").cpAsyncCommit();
    }
}
