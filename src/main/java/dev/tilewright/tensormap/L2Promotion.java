package dev.tilewright.tensormap;

/**
 * How much the L2 cache fetches around a copy, in the order of {@code CUtensorMapL2promotion}. A hint: no byte depends
 * on it.
 */
public enum L2Promotion {
    NONE, B64, B128, B256;

    /** The value of {@code CUtensorMapL2promotion} in cuda.h. */
    public int cudaValue() {
        return ordinal();
    }
}
