package dev.tilewright.tensormap.rules;

/** Limits of sm_90's driver that the rules and the quick check before encoding share (native-tests/recordings). */
public final class Limits {
    /** The most bytes a box may have as the driver counts them: 228 KiB, all the shared memory of a multiprocessor. */
    public static final long BOX_BYTES = 233_472;
    /** The largest extent of a dimension. */
    public static final long DIM = 1L << 32;
    /** Above every stride, in bytes. */
    public static final long STRIDE_END = 1L << 40;

    private Limits() { }

    /** Half the number of values that a corner of a map of this rank can have; 0 for a rank that im2col has not. */
    public static int cornerEnd(int rank) {
        return switch (rank) {
            case 3 -> 1 << 15;
            case 4 -> 1 << 7;
            case 5 -> 1 << 4;
            default -> 0;
        };
    }

    /**
     * Whether the driver finds the bounding box of one spatial dimension empty. Its sum is of signed 32 bits, so a
     * dimension of 2^31 and more counts as negative, and 2^32 as 0.
     */
    public static boolean isEmpty(long dim, long lower, long upper) {
        return (int) (dim + upper) <= lower;
    }
}
