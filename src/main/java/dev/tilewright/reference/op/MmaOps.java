package dev.tilewright.reference.op;

import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.tensor.TensorProduct;

/**
 * Products of matrices on tensor cores. All threads of a warp (mma.sync) or of a warpgroup (wgmma) come to one, and the last
 * performs it for all. In the reference a wgmma is done when it is issued; that its operands and results are its own until it
 * has been waited for is what an observer can tell. Sources: PTX ISA, "mma", "wgmma.mma_async".
 */
public final class MmaOps {

    private MmaOps() {
    }

    /** What an instruction multiplies and adds, D = A B + C. */
    public record Sizes(int m, int n, int k) {
    }

    /** {@code mma.sync}: everything in registers. */
    public record Warp(TensorProduct product, Sizes sizes, RegisterMatrix a, RegisterMatrix b, RegisterMatrix c,
            RegisterMatrix d) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (!t.block.warps().arrive(t, pc, 0, 0)) {
                return YIELD;
            }
            ThreadState[] lanes = t.block.warps().together(t);
            long[] sums = c.elements(lanes);
            product.multiplyAdd(a.elements(lanes), b.elements(lanes), sums, sizes.m, sizes.n, sizes.k);
            d.put(lanes, sums);
            return pc + 1;
        }

        /** How undefined operands make results undefined, in a run that is watched: for the threads that it was run for. */
        Watched.After definedness() {
            return (t, _) -> {
                ThreadState[] lanes = t.block.warps().together(t);
                d.putOrigins(lanes, origins(sizes, a.origins(lanes), b.origins(lanes), c.origins(lanes)));
            };
        }
    }

    /** An element of D comes from a row of A, a column of B and an element of C. @return null where all are defined */
    private static UnwrittenRead[] origins(Sizes sizes, UnwrittenRead[] a, UnwrittenRead[] b, UnwrittenRead[] c) {
        if (a == null && b == null) {
            return c;
        }
        UnwrittenRead[] rows = firstOfEach(a, sizes.m, sizes.k);
        UnwrittenRead[] columns = firstOfEach(b, sizes.n, sizes.k);
        UnwrittenRead[] all = c == null ? new UnwrittenRead[sizes.m * sizes.n] : c;
        for (int i = 0; i < all.length; i++) {
            if (all[i] == null) {
                all[i] = rows[i / sizes.n] != null ? rows[i / sizes.n] : columns[i % sizes.n];
            }
        }
        return all;
    }

    private static UnwrittenRead[] firstOfEach(UnwrittenRead[] all, int lines, int length) {
        UnwrittenRead[] first = new UnwrittenRead[lines];
        for (int i = 0; all != null && i < all.length; i++) {
            if (first[i / length] == null) {
                first[i / length] = all[i];
            }
        }
        return first;
    }
}
