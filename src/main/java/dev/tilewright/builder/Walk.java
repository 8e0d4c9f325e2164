package dev.tilewright.builder;

/** In which order the blocks of a launch walk over an array's tiles, where a block takes more than one. */
public enum Walk {
    /** Each block takes neighbouring tiles, and the blocks' runs lie one behind the other. */
    RUNS,
    /**
     * The blocks take neighbouring tiles, and each goes on as many tiles later as there are blocks: all blocks together
     * sweep over the array once, which memory likes better where blocks are few and long.
     */
    INTERLEAVED
}
