package dev.tilewright.reference.op;

import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.tensor.TensorProduct;

/**
 * Products of matrices on tensor cores. All threads of a warp (mma.sync) or of a warpgroup (wgmma) come to one, and the
 * last performs it for all. In the reference a wgmma is done when it is issued; that its operands and results are its
 * own until it has been waited for is for an observer to tell. Sources: PTX ISA, "mma", "wgmma.mma_async", "movmatrix".
 */
public final class MmaOps {

    private MmaOps() { }

    /** What an instruction multiplies and adds, D = A B + C. */
    public record Sizes(int m, int n, int k) { }

    /** {@code mma.sync}: everything in registers. */
    public record Warp(Site site, TensorProduct product, Sizes sizes, RegisterMatrix a, RegisterMatrix b,
            RegisterMatrix c, RegisterMatrix d) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (!site.warpComes(t, pc)) {
                return YIELD;
            }
            ThreadState[] lanes = t.block.warps().together(t);
            long[] sums = c.elements(lanes, OpAccess.NONE);
            product.multiplyAdd(a.elements(lanes, OpAccess.NONE), b.elements(lanes, OpAccess.NONE), sums, sizes.m,
                    sizes.n, sizes.k);
            d.put(lanes, sums);
            return pc + 1;
        }

        /** How undefined operands make results undefined, in a run that is watched. */
        public Watched.After definedness() {
            return (t, site) -> {
                ThreadState[] lanes = t.block.warps().together(t);
                d.putOrigins(lanes, MmaOps.origins(sizes, a.origins(lanes, site.step()), b.origins(lanes, site.step()),
                        c.origins(lanes, site.step())));
            };
        }
    }

    /**
     * {@code wgmma.mma_async}.
     *
     * @param reads by which shared memory is read
     * @param a in registers or in shared memory
     * @param adds whether D is added to: not where this is zero
     * @param flipA what A's elements are combined with by XOR: their sign's bit, where they are negated; {@code flipB}
     *     B's
     */
    public record Warpgroup(Site site, OpAccess reads, TensorProduct product, Sizes sizes, MatrixOperand a,
            SharedMatrix b,
            RegisterMatrix d, IndexCode adds, long flipA, long flipB) implements Op {
        /** A bit that no matrix descriptor has. */
        private static final long UNUSED = 1L << 60;

        @Override
        public int run(ThreadState t, int pc) {
            boolean adding = adds.value(t) != 0;
            long descriptorA = a instanceof SharedMatrix s ? s.descriptor().value(t) : 0;
            long descriptorB = b.descriptor().value(t);
            if (!site.comesTogether(t.block.warpgroups(), t, pc, descriptorA, adding ? descriptorB | UNUSED
                    : descriptorB)) {
                return YIELD;
            }
            ThreadState[] threads = t.block.warpgroups().together(t);
            site.wgmmaStarts(threads[0], d, a instanceof RegisterMatrix r ? r : null);
            long[] left = flipped(a.elements(threads, reads), flipA);
            long[] right = flipped(b.elements(threads, reads), flipB);
            long[] sums = adding ? d.elements(threads, reads) : new long[sizes.m * sizes.n];
            product.multiplyAdd(left, right, sums, sizes.m, sizes.n, sizes.k);
            d.put(threads, sums);
            return pc + 1;
        }

        private static long[] flipped(long[] elements, long bits) {
            for (int i = 0; bits != 0 && i < elements.length; i++) {
                elements[i] ^= bits;
            }
            return elements;
        }

        /** How undefined operands make results undefined, in a run that is watched. */
        public Watched.After definedness() {
            return (t, at) -> {
                ThreadState[] threads = t.block.warpgroups().together(t);
                int step = at.step();
                UnwrittenRead[] before = adds.value(t) != 0 ? d.origins(threads, step) : null;
                d.putOrigins(threads, MmaOps.origins(sizes, a.origins(threads, step), b.origins(threads, step),
                        before));
            };
        }
    }

    /** What a warpgroup does about its products as a whole. */
    public enum GroupStep { FENCE, COMMIT, WAIT }

    /** {@code wgmma.fence}, {@code commit_group} and {@code wait_group}. @param pending groups that need not be done */
    public record Group(Site site, GroupStep what, int pending) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (!site.comesTogether(t.block.warpgroups(), t, pc, 0, 0)) {
                return YIELD;
            }
            ThreadState first = t.block.warpgroups().together(t)[0];
            switch (what) {
                case FENCE -> site.wgmmaFence(first);
                case COMMIT -> site.wgmmaCommit(first);
                case WAIT -> site.wgmmaWait(first, pending);
            }
            return pc + 1;
        }
    }

    /** {@code movmatrix}: of an 8 by 8 matrix of 16-bit elements, two in a lane's register, the transposed one. */
    public record Transpose(Site site, IndexCode from, IndexCode to) implements Op {
        private static final int HALF = 16;

        @Override
        public int run(ThreadState t, int pc) {
            if (!site.warpComes(t, pc)) {
                return YIELD;
            }
            ThreadState[] lanes = t.block.warps().together(t);
            long[] words = new long[lanes.length];
            for (int l = 0; l < words.length; l++) {
                words[l] = lanes[l].slots[(int) from.value(lanes[l])];
            }
            for (int l = 0; l < words.length; l++) {
                lanes[l].slots[(int) to.value(lanes[l])] = transposed(words, l);
            }
            return pc + 1;
        }

        /** A lane's elements, two neighbours in a row of the transposed matrix, were in one column. */
        private static long transposed(long[] words, int lane) {
            int column = lane / 4;
            int row = lane % 4 * 2;
            return half(words, row, column) | half(words, row + 1, column) << HALF;
        }

        private static long half(long[] words, int row, int column) {
            return words[row * 4 + column / 2] >>> column % 2 * HALF & 0xFFFF;
        }

        /** The undefined bits move with the others, in a run that is watched. */
        public Watched.After definedness() {
            return (t, _) -> {
                ThreadState[] lanes = t.block.warps().together(t);
                long[] bits = new long[lanes.length];
                UnwrittenRead origin = null;
                for (int l = 0; l < bits.length; l++) {
                    int slot = (int) from.value(lanes[l]);
                    bits[l] = lanes[l].undefined.bits(slot);
                    origin = bits[l] == 0 ? origin : lanes[l].undefined.origin(slot);
                }
                for (int l = 0; l < bits.length; l++) {
                    lanes[l].undefined.set((int) to.value(lanes[l]), transposed(bits, l), origin);
                }
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
