package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.WordType;
import java.util.Arrays;
import java.util.List;

/** An atomic operation on a type that has it (PTX ISA, "atom", "red"; types of 32 and 64 bits). */
public enum Atomic implements Qualifier {
    AND_B32(AtomOp.AND, WordType.B32), AND_B64(AtomOp.AND, WordType.B64),
    OR_B32(AtomOp.OR, WordType.B32), OR_B64(AtomOp.OR, WordType.B64),
    XOR_B32(AtomOp.XOR, WordType.B32), XOR_B64(AtomOp.XOR, WordType.B64),
    EXCH_B32(AtomOp.EXCH, WordType.B32), EXCH_B64(AtomOp.EXCH, WordType.B64),
    CAS_B32(AtomOp.CAS, WordType.B32), CAS_B64(AtomOp.CAS, WordType.B64),
    ADD_U32(AtomOp.ADD, WordType.U32), ADD_S32(AtomOp.ADD, WordType.S32), ADD_U64(AtomOp.ADD, WordType.U64),
            ADD_F32(AtomOp.ADD, WordType.F32), ADD_F64(AtomOp.ADD, WordType.F64),
    INC_U32(AtomOp.INC, WordType.U32),
    DEC_U32(AtomOp.DEC, WordType.U32),
    MIN_U32(AtomOp.MIN, WordType.U32), MIN_S32(AtomOp.MIN, WordType.S32), MIN_U64(AtomOp.MIN, WordType.U64),
            MIN_S64(AtomOp.MIN, WordType.S64),
    MAX_U32(AtomOp.MAX, WordType.U32), MAX_S32(AtomOp.MAX, WordType.S32), MAX_U64(AtomOp.MAX, WordType.U64),
            MAX_S64(AtomOp.MAX, WordType.S64);

    private final AtomOp op;
    private final WordType type;

    Atomic(AtomOp op, WordType type) {
        this.op = op;
        this.type = type;
    }

    /** @throws IllegalFormException if the operation does not have the type */
    static Atomic of(AtomOp op, WordType type, String section) {
        return Arrays.stream(values()).filter(a -> a.op == op && a.type == type).findFirst().orElseThrow(() -> {
            List<WordType> types = Arrays.stream(values()).filter(a -> a.op == op).map(Atomic::type).toList();
            return new IllegalFormException(section + "." + op + " is of " + types + ", got " + type, section);
        });
    }

    public AtomOp op() {
        return op;
    }

    public WordType type() {
        return type;
    }

    @Override
    public String text() {
        return op.text() + type.text();
    }
}
