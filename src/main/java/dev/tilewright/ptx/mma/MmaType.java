package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import java.util.Locale;

/** The type of a matrix's elements (PTX ISA, "Matrix Data-types"). */
public enum MmaType implements Qualifier {
    E4M3(8), E5M2(8), F16(16), BF16(16), TF32(32), F32(32), F64(64), S8(8), U8(8), S32(32);

    private final int bits;

    MmaType(int bits) {
        this.bits = bits;
    }

    /** Bits of an element where it is stored; a tf32 is stored as an f32. */
    public int bits() {
        return bits;
    }

    /** Whether elements are integers. */
    public boolean isInteger() {
        return this == S8 || this == U8 || this == S32;
    }

    /** The registers that hold a thread's elements: of the element's own type, or of 32 bits with packed elements. */
    Operand.Kind registers() {
        return switch (this) {
            case F32 -> Operand.Kind.F32_REGISTERS;
            case F64 -> Operand.Kind.F64_REGISTERS;
            case S32 -> Operand.Kind.S32_REGISTERS;
            case E4M3, E5M2, F16, BF16, TF32, S8, U8 -> Operand.Kind.B32_REGISTERS;
        };
    }

    /** How many such registers a thread has of a matrix. @param threads that share it */
    int registers(int elements, int threads) {
        return elements * bits / (threads * (this == F64 ? 64 : 32));
    }

    /** The name in PTX: {@code bf16}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
