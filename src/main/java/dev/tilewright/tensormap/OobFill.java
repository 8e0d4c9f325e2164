package dev.tilewright.tensormap;

/**
 * The values that a load gives for elements outside the tensor, in the order of {@code CUtensorMapFloatOOBfill}
 * (cuda.h).
 */
public enum OobFill {
    /** Zero bytes. */
    ZERO,
    /** Every 16-bit half becomes 0x7FF7, a NaN in each float type (measured on an H200). Float types only. */
    NAN;

    /** The value of {@code CUtensorMapFloatOOBfill} in cuda.h. */
    public int cudaValue() {
        return ordinal();
    }
}
