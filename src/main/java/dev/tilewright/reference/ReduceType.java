package dev.tilewright.reference;

import java.util.Locale;

/** How a reduction reads the bits of an element, in the names of PTX's {@code .type}. */
public enum ReduceType {
    U32(4),
    S32(4),
    U64(8),
    S64(8),
    B32(4),
    B64(8),
    /** Subnormals are kept ({@code .noftz}). */
    F16(2),
    /** Subnormals are kept ({@code .noftz}). */
    BF16(2),
    /** Subnormals are kept. */
    F32(4),
    /** A binary32 whose subnormals, operands' and results', become zeros of their sign. */
    F32_FTZ(4),
    F64(8);

    private final int bytes;

    ReduceType(int bytes) {
        this.bytes = bytes;
    }

    /** Size of one element. */
    public int bytes() {
        return bytes;
    }

    /** The name in PTX: {@code bf16}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }
}
