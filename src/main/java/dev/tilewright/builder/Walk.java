package dev.tilewright.builder;

/** The order in which the blocks of a launch walk over an array's tiles, if a block takes more than one. */
public enum Walk {
    /** Each block takes neighbouring tiles, and the blocks' runs lie one behind the other. */
    RUNS,
    /**
     * Blocks that run at once take neighbouring tiles, and each goes on as many tiles later as these blocks are:
     * together they sweep over the array, which memory likes better where blocks are long. See
     * {@link GridPolicy#waves}.
     */
    INTERLEAVED
}
