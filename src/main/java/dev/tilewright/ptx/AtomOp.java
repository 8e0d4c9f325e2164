package dev.tilewright.ptx;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What an atomic instruction does with the old value and its own, and the types of 32 and 64 bits that it has. */
public enum AtomOp implements Qualifier {
    AND(EnumSet.of(WordType.B32, WordType.B64)),
    OR(EnumSet.of(WordType.B32, WordType.B64)),
    XOR(EnumSet.of(WordType.B32, WordType.B64)),
    /** The value takes the old one's place. */
    EXCH(EnumSet.of(WordType.B32, WordType.B64)),
    /** The second value takes the old one's place where that equals the first. */
    CAS(EnumSet.of(WordType.B32, WordType.B64)),
    ADD(EnumSet.of(WordType.U32, WordType.S32, WordType.U64, WordType.F32, WordType.F64)),
    INC(EnumSet.of(WordType.U32)),
    DEC(EnumSet.of(WordType.U32)),
    MIN(EnumSet.of(WordType.U32, WordType.S32, WordType.U64, WordType.S64)),
    MAX(EnumSet.of(WordType.U32, WordType.S32, WordType.U64, WordType.S64));

    private final Set<WordType> types;

    AtomOp(Set<WordType> types) {
        this.types = types;
    }

    /** Whether it leaves nothing to hand out, so that {@code red} has it too. */
    public boolean isReduction() {
        return this != EXCH && this != CAS;
    }

    @Override
    public String text() {
        return "." + this;
    }

    void require(String instruction, WordType type, String section) {
        if (!types.contains(type)) {
            throw new IllegalFormException(instruction + "." + this + " is of " + types + ", got " + type, section);
        }
    }

    /** The name in PTX: {@code add}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
