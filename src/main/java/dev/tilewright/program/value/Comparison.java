package dev.tilewright.program.value;

import java.util.Locale;

/**
 * A relation of two values of one type. Of floats as IEEE 754 says: with a NaN only {@link #NE} and {@link #UNORDERED}
 * hold, and -0 equals +0.
 */
public enum Comparison {
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    /** Neither is a NaN. Floats. */
    ORDERED,
    /** One of them is a NaN, or both are. Floats. */
    UNORDERED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
