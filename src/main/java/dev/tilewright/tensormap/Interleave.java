package dev.tilewright.tensormap;

/** Channel interleaving of the tensor in memory, in the order of {@code CUtensorMapInterleave} (cuda.h). */
public enum Interleave {
    NONE, B16, B32;

    /** The value of {@code CUtensorMapInterleave} in cuda.h. */
    public int cudaValue() {
        return ordinal();
    }
}
