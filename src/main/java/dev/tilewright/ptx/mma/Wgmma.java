package dev.tilewright.ptx.mma;

/**
 * {@code wgmma.mma_async}: the four warps of a warpgroup start a product of matrices, D = A * B + D, or D = A * B where
 * {@code scale_d} is zero. B, and A unless it is in registers, are in shared memory, which is read through the
 * asynchronous proxy where a descriptor says. Until the group that it is committed to has been waited for, D's
 * registers, and A's, are not the thread's.
 */
public sealed interface Wgmma extends MmaInstruction permits WgmmaFloat, WgmmaInteger {

    /** The types that meet. */
    MmaTypes types();

    /** Columns of B and of D. */
    int n();

    /** Whether A is in registers; else a descriptor says where it is in shared memory. */
    boolean registersA();

    /** Rows of A and of D. */
    default int m() {
        return 64;
    }

    /** Columns of A, rows of B: 32 bytes of elements. */
    default int k() {
        return 256 / types().a().bits();
    }
}
