package dev.tilewright.program.value;

/** Comparisons of two values of one type; with a NaN only {@link #NE} holds. */
public enum Comparison {
    EQ, NE, LT, LE, GT, GE
}
