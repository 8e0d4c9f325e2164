package dev.tilewright.ptx;

import java.util.Locale;

/**
 * How an atomic update combines the old value and its operand (PTX ISA, "atom", "red", "cp.reduce.async.bulk"); {@link
 * AtomicTypes} says which instruction has it on which types.
 */
public enum AtomicOp implements Qualifier {
    AND, OR, XOR, ADD,
    /** {@code old >= value ? 0 : old + 1}. */
    INC,
    /** {@code old == 0 || old > value ? value : old - 1}. */
    DEC,
    MIN, MAX,
    /** The value takes the old one's place. */
    EXCH,
    /** The second value takes the old one's place where that equals the first. */
    CAS;

    /** Whether it combines two values, so that instructions without a result have it too. */
    public boolean isReduction() {
        return this != EXCH && this != CAS;
    }

    /** The name in PTX: {@code add}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
