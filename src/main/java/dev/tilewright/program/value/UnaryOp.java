package dev.tilewright.program.value;

import java.util.Locale;

/** Operations on one value, whose result has its type. */
public enum UnaryOp {
    /** The negative: of a float the sign bit turned, of a NaN too; of an integer two's complement. */
    NEGATE,
    /**
     * The magnitude: of a float the sign bit cleared, of a NaN too; of an integer two's complement, the most negative
     * stays itself.
     */
    ABS,
    /** The square root, rounded to nearest even. Floats. */
    SQRT,
    /** One over it, rounded to nearest even. Floats. */
    RECIPROCAL,
    /** The greatest whole number that is not greater. Floats. */
    FLOOR,
    /** The least whole number that is not less. Floats. */
    CEIL,
    /** The whole number towards zero. Floats. */
    TRUNCATE,
    /** The nearest whole number, of two the even one. Floats. */
    ROUND_EVEN,
    /** 2 to the power of it less 3,072, in the bits of Hopper's own function; see {@link FixedPowers}. f32. */
    EXP2_FIXED,
    /** Every bit turned; of a predicate its contrary. Integers and predicates. */
    NOT,
    /** How many bits are set. Integers. */
    COUNT_ONES,
    /** How many zeros stand before the highest one, the width for 0. Integers of 32 and 64 bits. */
    LEADING_ZEROS,
    /** The bits in the other order. Integers of 32 and 64 bits. */
    REVERSE_BITS;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
