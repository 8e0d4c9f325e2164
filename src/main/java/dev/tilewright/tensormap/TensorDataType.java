package dev.tilewright.tensormap;

import dev.tilewright.layout.ElementType;

/** The element types a tensor map knows, in the order of {@code CUtensorMapDataType} (cuda.h). */
public enum TensorDataType {
    UINT8(1, false),
    UINT16(2, false),
    UINT32(4, false),
    INT32(4, false),
    UINT64(8, false),
    INT64(8, false),
    FLOAT16(2, true),
    FLOAT32(4, true),
    FLOAT64(8, true),
    BFLOAT16(2, true),
    FLOAT32_FTZ(4, true),
    TFLOAT32(4, true),
    TFLOAT32_FTZ(4, true);

    private final int bytes;
    private final boolean isFloat;

    TensorDataType(int bytes, boolean isFloat) {
        this.bytes = bytes;
        this.isFloat = isFloat;
    }

    /** Size of one element in bytes. */
    public int bytes() {
        return bytes;
    }

    public boolean isFloat() {
        return isFloat;
    }

    /** Whether a load rounds the data to TF32 (10 mantissa bits); every other type copies bits unchanged. */
    public boolean roundsToTf32() {
        return this == TFLOAT32 || this == TFLOAT32_FTZ;
    }

    /** The value of {@code CUtensorMapDataType} in cuda.h. */
    public int cudaValue() {
        return ordinal();
    }

    /** The type with this number in cuda.h. @throws IllegalArgumentException for a number it does not define */
    public static TensorDataType ofCudaValue(int value) {
        TensorDataType[] all = values();
        if (value < 0 || value >= all.length) {
            throw new IllegalArgumentException("tensor map data type must be in [0, " + (all.length - 1) + "], got " + value);
        }
        return all[value];
    }

    /** The tensor map type that carries this element type bit for bit. Signed 8 and 16 bits travel as unsigned. */
    public static TensorDataType of(ElementType type) {
        return switch (type) {
            case U8, I8 -> UINT8;
            case U16, I16 -> UINT16;
            case U32 -> UINT32;
            case I32 -> INT32;
            case U64 -> UINT64;
            case I64 -> INT64;
            case F16 -> FLOAT16;
            case BF16 -> BFLOAT16;
            case F32 -> FLOAT32;
            case F64 -> FLOAT64;
        };
    }
}
