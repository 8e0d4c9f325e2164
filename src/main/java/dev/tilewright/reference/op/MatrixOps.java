package dev.tilewright.reference.op;

import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;

/**
 * A warp loads or stores matrices of 8 rows of 16 bytes together: lanes 0 to 7 hold the addresses of the first one's
 * rows, lanes 8 to 15 those of the second, and so on. Of each matrix, lane l has elements 2 (l mod 4) and the next of
 * row l / 4, or of column l / 4 where it is transposed. Sources: PTX ISA, "ldmatrix", "stmatrix".
 */
public final class MatrixOps {
    private static final int ROWS = 8;
    private static final int ROW_BYTES = 16;
    private static final int ELEMENT = 2;

    private MatrixOps() { }

    /** @param slots of the first register, for each thread @param matrices as many as registers */
    public record Load(Site site, OpAccess access, AddressOperand from, boolean transposed, IndexCode slots,
            int matrices) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (!site.warpComes(t, pc)) {
                return YIELD;
            }
            ResolvedAddress.InShared[] rows = rows(t, access, from, matrices);
            ThreadState[] lanes = lanes(t);
            for (int l = 0; l < lanes.length; l++) {
                int slot = (int) slots.value(lanes[l]);
                for (int m = 0; m < matrices; m++) {
                    long first = element(rows, m, l, 0, transposed).get(ELEMENT);
                    long second = element(rows, m, l, 1, transposed).get(ELEMENT);
                    lanes[l].slots[slot + m] = second << 16 | first;
                }
            }
            return pc + 1;
        }
    }

    /** @param slots of the first register, for each thread @param matrices as many as registers */
    public record Store(Site site, OpAccess access, AddressOperand to, boolean transposed, IndexCode slots,
            int matrices) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (!site.warpComes(t, pc)) {
                return YIELD;
            }
            ResolvedAddress.InShared[] rows = rows(t, access, to, matrices);
            ThreadState[] lanes = lanes(t);
            for (int l = 0; l < lanes.length; l++) {
                int slot = (int) slots.value(lanes[l]);
                for (int m = 0; m < matrices; m++) {
                    long pair = lanes[l].slots[slot + m];
                    element(rows, m, l, 0, transposed).set(ELEMENT, pair);
                    element(rows, m, l, 1, transposed).set(ELEMENT, pair >>> 16);
                }
            }
            return pc + 1;
        }
    }

    private static ThreadState[] lanes(ThreadState t) {
        return t.block.warps().together(t);
    }

    private static ResolvedAddress.InShared[] rows(ThreadState t, OpAccess access, AddressOperand at, int matrices) {
        ThreadState[] lanes = lanes(t);
        ResolvedAddress.InShared[] rows = new ResolvedAddress.InShared[ROWS * matrices];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = at.own(lanes[i], ROW_BYTES, ROW_BYTES, access, "a row");
        }
        return rows;
    }

    /** One of the two elements that a lane has of a matrix. */
    private static ResolvedAddress.InShared element(ResolvedAddress.InShared[] rows, int matrix, int lane, int which,
            boolean transposed) {
        ResolvedAddress.InShared row = rows[row(matrix, lane, which, transposed)];
        return new ResolvedAddress.InShared(row.block(), row.address() + offset(lane, which, transposed));
    }

    /** The lane whose address is that of the row with the element. */
    static int row(int matrix, int lane, int which, boolean transposed) {
        return ROWS * matrix + (transposed ? lane % 4 * 2 + which : lane / 4);
    }

    /** Where in the row it lies. */
    static int offset(int lane, int which, boolean transposed) {
        return ELEMENT * (transposed ? lane / 4 : lane % 4 * 2 + which);
    }
}
