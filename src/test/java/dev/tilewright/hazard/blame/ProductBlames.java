package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.fence.FenceProxyAsync.Memory;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import java.util.List;

/**
 * Two warpgroups, each with matrices of its own and code of its own, multiply, and leave their sums by bulk stores: the
 * first has an edit, and the second, which has none, does the same after it.
 */
final class ProductBlames {
    private static final int TURNS = 2;
    private static final int SUMS = 8;
    private static final MatrixTile A_TILE = new MatrixTile(64, 16, 2, MatrixMajor.K, Swizzle.NONE);
    private static final MatrixTile B_TILE = new MatrixTile(16, 16, 2, MatrixMajor.K, Swizzle.NONE);
    private static final List<SharedRegion.Buffer> A = buffers("a", A_TILE.bytes());
    private static final List<SharedRegion.Buffer> B = buffers("b", B_TILE.bytes());
    private static final List<SharedRegion.Buffer> OUT = buffers("out", 128 * SUMS * 4);

    private enum Edit { NO_FENCE, FENCE_IN_FIRST_TURN, NO_COMMIT, NO_WAIT, WAIT_LEAVES_ONE, NO_STORE_WAIT,
            NO_STORE_COMMIT }

    private static final Blame.Runner RUNNER = ProductBlames::check;

    private ProductBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.NO_FENCE, HazardCode.WGMMA_NOT_FENCED, "multiply 0", "put wgmma.fence before"),
                is(Edit.FENCE_IN_FIRST_TURN, HazardCode.WGMMA_NOT_FENCED, "multiply 0",
                "that takes 'sums0', which step",
                        "('leave 0', ", "has used since"),
                is(Edit.NO_COMMIT, HazardCode.GROUP_NOT_COMMITTED, "multiply 0", "wgmma.commit_group"),
                is(Edit.NO_WAIT, HazardCode.REGISTERS_IN_FLIGHT, "leave 0", "wgmma.wait_group 0",
                        "which step 14 closes", "the same shows in"),
                is(Edit.WAIT_LEAVES_ONE, HazardCode.WAIT_TOO_SHALLOW, "done 0", "let that wait leave fewer"),
                is(Edit.NO_STORE_WAIT, HazardCode.OVERWRITE_IN_STORE, "leave 0", "cp.async.bulk.wait_group.read"),
                is(Edit.NO_STORE_COMMIT, HazardCode.GROUP_NOT_COMMITTED, "store 0", "commit the group after the copy"));
    }

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("products", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(256, 1, 1, List.of(A.get(0), A.get(1), B.get(0), B.get(1), OUT.get(0), OUT.get(1)),
                body -> body.purpose("warpgroups").when(T.lessThan(128), b -> work(b, 0, (Edit) edit),
                        b -> work(b, 1, null)));
    }

    private static List<SharedRegion.Buffer> buffers(String name, int bytes) {
        return List.of(new SharedRegion.Buffer(name + 0, bytes, 128), new SharedRegion.Buffer(name + 1, bytes, 128));
    }

    private static void work(Body body, int g, Edit edit) {
        Expr t = T.modulo(128);
        Register sums = body.purpose("sums " + g).registers("sums" + g, SUMS, Value.f32(0));
        body.purpose("turns " + g).loop("turn" + g, TURNS, (each, turn) -> {
            Fragment a = each.purpose("words " + g).load("a" + g, ElementType.U32, 4, from(t.times(16)));
            each.purpose("fill a " + g).store(A.get(g).at(t.times(16)), a);
            each.purpose("some").when(t.lessThan(32), b -> {
                Fragment f = b.purpose("words " + g).load("b" + g, ElementType.U32, 4, from(t.times(16).plus(2048)));
                b.purpose("fill b " + g).store(B.get(g).at(t.times(16)), f);
            });
            each.purpose("fence " + g).proxyFence(Memory.SHARED);
            each.purpose("filled " + g).namedBarrier(g + 1, 128).sync();
            if (edit == Edit.FENCE_IN_FIRST_TURN) {
                each.purpose("first").when(turn.isEqualTo(0),
                        b -> b.purpose("sums are the tensor cores' " + g).issue(new WgmmaFence()));
            } else if (edit != Edit.NO_FENCE) {
                each.purpose("sums are the tensor cores' " + g).issue(new WgmmaFence());
            }
            for (int i = 0; i < 2; i++) {
                each.purpose("multiply " + g).issue(new WgmmaFloat(MmaTypes.F32_BF16_BF16, 16), Input.of(sums),
                        Input.of(A.get(g).at(0).descriptor(A_TILE)),
                        Input.of(B.get(g).at(0).descriptor(B_TILE)), Input.of(1));
            }
            if (edit != Edit.NO_COMMIT) {
                each.purpose("group " + g).issue(new WgmmaCommitGroup());
            }
            if (edit != Edit.NO_WAIT) {
                each.purpose("done " + g).issue(new WgmmaWaitGroup(edit == Edit.WAIT_LEAVES_ONE ? 1 : 0));
            }
            leave(each, g, turn, sums, edit);
        });
    }

    /** One step for each sum, so that a missing wait shows in each. */
    private static void leave(Body body, int g, Expr turn, Register sums, Edit edit) {
        Expr t = T.modulo(128);
        for (int i = 0; i < SUMS; i++) {
            body.purpose("leave " + g).store(OUT.get(g).at(t.times(4 * SUMS).plus(4 * i)), sums.at(i));
        }
        body.purpose("fence " + g).proxyFence(Memory.SHARED);
        body.purpose("left " + g).namedBarrier(g + 1, 128).sync();
        body.purpose("one " + g).when(t.isEqualTo(0), one -> {
            one.purpose("store " + g).bulkStore(to(turn.times(2).plus(g).times(4 * 128 * SUMS)),
                    OUT.get(g).at(0), 128 * SUMS * 4);
            if (edit != Edit.NO_STORE_COMMIT) {
                one.purpose("stores " + g).bulkCommit();
            }
            if (edit != Edit.NO_STORE_WAIT) {
                one.purpose("has read " + g).bulkWaitRead(0);
            }
        });
        body.purpose("again " + g).namedBarrier(g + 1, 128).sync();
    }
}
