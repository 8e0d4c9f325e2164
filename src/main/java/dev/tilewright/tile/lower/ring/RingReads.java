package dev.tilewright.tile.lower.ring;

import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import java.util.List;

/** How threads read a factor from a stage into registers as {@code mma.sync} takes it. */
interface RingReads {
    /** Bits of a lane's number. */
    int LANE_BITS = 5;
    /** Rows of a matrix that a warp reads at once, and columns of an instruction. */
    int MATRIX = 8;
    /** What an instruction takes along k. */
    int STEP_BYTES = 32;

    /** What is read. */
    RingFactor factor();

    /** Whether it is A. */
    boolean left();

    /** How the sums are held. */
    Layout sums();

    /** What each bit of the number of a thread's block of rows, or of 8 columns, adds to its place. */
    List<Integer> blocks();

    /** Reads what a step along k takes. @param into the first register */
    void read(Body body, Landed stage, int step, Register to, int into);

    /** By {@code ldmatrix} where it gives what instructions take, else element by element. */
    static RingReads of(Body body, RingFactor factor, boolean left, Layout sums, int offset) {
        return factor.isOfMatrices() ? RingFragments.of(body, factor, left, sums, offset)
                : RingElements.of(body, factor, left, sums, offset);
    }

    /** Whether this is how a factor is read for sums that are held so. */
    default boolean isOf(RingFactor other, boolean asLeft, Layout layout) {
        return factor().equals(other) && left() == asLeft && sums().equals(layout);
    }

    /** Rows, or columns, of an instruction. */
    static int block(RingFactor factor, boolean left) {
        return left && factor.factor().type() != ValueType.F64 ? 2 * MATRIX : MATRIX;
    }

    /** What each bit of the number of a thread's block adds. */
    static List<Integer> blocks(RingFactor factor, boolean left, Layout sums) {
        int axis = left ? 0 : 1;
        return sums.registers().stream().map(basis -> basis.get(axis)).filter(place -> place >= block(factor, left))
                .toList();
    }

    /** Where a warp's first block begins. */
    static Expr warp(boolean left, Layout sums) {
        int axis = left ? 0 : 1;
        return Linear.of(Builtin.THREAD.shiftRight(LANE_BITS), sums.threads().stream().skip(LANE_BITS)
                .map(basis -> basis.get(axis)).toList());
    }

    /** Blocks of a thread. */
    default int count() {
        return 1 << blocks().size();
    }

    /** Registers of a block. */
    default int each() {
        return factor().factor().type() == ValueType.F64 ? 1 : left() ? 4 : 2;
    }

    /** Registers of a step along k. */
    default int registers() {
        return count() * each();
    }

    /** What a register holds. */
    default ValueType word() {
        return factor().factor().type() == ValueType.F64 ? ValueType.F64 : ValueType.U32;
    }
}
