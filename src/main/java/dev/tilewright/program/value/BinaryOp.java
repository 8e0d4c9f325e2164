package dev.tilewright.program.value;

import java.util.Locale;

/**
 * Operations on two values of one type, whose result has that type. Floats: rounded once, to nearest even, subnormals
 * kept, a NaN result is the hardware's. Integers wrap.
 */
public enum BinaryOp {
    ADD,
    SUB,
    MUL,
    /** The quotient, of integers towards zero; division by zero is a mistake of the program. */
    DIV,
    /** What a division leaves, with the sign of the dividend; of floats exact, as {@code fmod}. */
    REM,
    /** The less; of floats the number where the other is a NaN, and -0 before +0 (IEEE 754-2019 minimumNumber). */
    MIN,
    /** The greater; of floats as {@link #MIN}. */
    MAX,
    /** The less, a NaN where either is one, and -0 before +0 (IEEE 754-2019 minimum). Floats. */
    MIN_NAN,
    /** The greater; as {@link #MIN_NAN}. */
    MAX_NAN,
    /** The first with the second's sign. Floats. */
    COPY_SIGN,
    /** Integers and predicates. */
    AND,
    OR,
    XOR,
    /** By the second's value; zeros come in, and by the width or more nothing is left. Integers. */
    SHL,
    /** By the second's value; signs come in for signed types, zeros else, also by the width or more. Integers. */
    SHR,
    /** The upper half of the product that has twice the width. Integers of 32 and 64 bits. */
    MUL_HI;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
