package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Qualifier;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a reduction does with the old value and the new one. */
public enum ReduceOp implements Qualifier {
    AND, OR, XOR, ADD,
    /** {@code old >= value ? 0 : old + 1}. */
    INC,
    /** {@code old == 0 || old > value ? value : old - 1}. */
    DEC,
    MIN, MAX;

    /** The types of a bulk reduction into global memory (PTX ISA, "cp.reduce.async.bulk"). */
    public Set<DataType> typesInGlobalMemory() {
        return switch (this) {
            case AND, OR, XOR -> EnumSet.of(DataType.B32, DataType.B64);
            case ADD -> EnumSet.of(DataType.U32, DataType.S32, DataType.U64, DataType.F16, DataType.BF16, DataType.F32,
                    DataType.F64);
            case INC, DEC -> EnumSet.of(DataType.U32);
            case MIN, MAX -> EnumSet.of(DataType.U32, DataType.S32, DataType.U64, DataType.S64, DataType.F16,
                    DataType.BF16);
        };
    }

    /** The types of a bulk reduction into shared memory (PTX ISA, "cp.reduce.async.bulk"). */
    public Set<DataType> typesInSharedMemory() {
        return switch (this) {
            case AND, OR, XOR -> EnumSet.of(DataType.B32);
            case ADD -> EnumSet.of(DataType.U32, DataType.S32, DataType.U64);
            case INC, DEC -> EnumSet.of(DataType.U32);
            case MIN, MAX -> EnumSet.of(DataType.U32, DataType.S32);
        };
    }

    @Override
    public String text() {
        return "." + this;
    }

    /** The name in PTX: {@code add}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
