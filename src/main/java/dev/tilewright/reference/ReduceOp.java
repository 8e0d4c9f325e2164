package dev.tilewright.reference;

import java.util.Locale;

/** What a reduction does with two elements, in the names of PTX's {@code .redOp}. */
public enum ReduceOp {
    ADD,
    MIN,
    MAX,
    /** {@code old >= value ? 0 : old + 1}. */
    INC,
    /** {@code old == 0 || old > value ? value : old - 1}. */
    DEC,
    AND,
    OR,
    XOR;

    /** The name in PTX: {@code add}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
