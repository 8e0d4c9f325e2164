package dev.tilewright.ptx.memory;

import java.util.Locale;

/** What an atomic instruction does with the old value and its own; {@link Atomic} says with which types. */
public enum AtomOp {
    AND, OR, XOR,
    /** The value takes the old one's place. */
    EXCH,
    /** The second value takes the old one's place where that equals the first. */
    CAS,
    ADD,
    /** {@code old >= value ? 0 : old + 1}. */
    INC,
    /** {@code old == 0 || old > value ? value : old - 1}. */
    DEC,
    MIN, MAX;

    /** Whether it leaves nothing to hand out, so that {@code red} has it too. */
    public boolean isReduction() {
        return this != EXCH && this != CAS;
    }

    String text() {
        return "." + this;
    }

    /** The name in PTX: {@code add}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
