package dev.tilewright.layout;

/**
 * Which index of a matrix operand is contiguous in shared memory. The other index is the row of A or the column of B.
 * Source: PTX ISA, "wgmma.mma_async", imm-trans-a and imm-trans-b.
 */
public enum MatrixMajor {
    /**
     * Elements of one row of A, or of one column of B, follow each other: what is not transposed. Every type has it.
     */
    K(0),
    /** Elements of one k follow each other: what is transposed. Types of 16 bits alone have it. */
    MN(1);

    private final int transpose;

    MatrixMajor(int transpose) {
        this.transpose = transpose;
    }

    /** The instruction's {@code imm-trans} for it: 0 or 1. */
    public int transpose() {
        return transpose;
    }
}
