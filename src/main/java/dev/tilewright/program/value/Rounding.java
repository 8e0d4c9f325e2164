package dev.tilewright.program.value;

/** How a conversion rounds an exact result that does not fit. */
public enum Rounding {
    /** To the nearest, of two the even one: {@code .rn}. */
    NEAREST_EVEN,
    /** To the nearest, of two the one away from zero: {@code .rna}. To tf32 alone. */
    NEAREST_AWAY,
    /** {@code .rz}. */
    TOWARDS_ZERO,
    /** {@code .rm}. */
    DOWN,
    /** {@code .rp}. */
    UP
}
