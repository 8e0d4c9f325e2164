package dev.tilewright.layout;

import java.util.Objects;

/** The element types a tensor map knows, in the order of {@code CUtensorMapDataType} (cuda.h). */
public enum TensorDataType {
    UINT8(ElementType.U8),
    UINT16(ElementType.U16),
    UINT32(ElementType.U32),
    INT32(ElementType.I32),
    UINT64(ElementType.U64),
    INT64(ElementType.I64),
    FLOAT16(ElementType.F16),
    FLOAT32(ElementType.F32),
    FLOAT64(ElementType.F64),
    BFLOAT16(ElementType.BF16),
    /** Reductions make zeros of subnormals. */
    FLOAT32_FTZ(ElementType.F32),
    /** Loads round to 10 mantissa bits. */
    TFLOAT32(ElementType.F32),
    /** Both. */
    TFLOAT32_FTZ(ElementType.F32);

    private final ElementType elementType;

    TensorDataType(ElementType elementType) {
        this.elementType = elementType;
    }

    /** The type of one element in memory. */
    public ElementType elementType() {
        return elementType;
    }

    /** Size of one element in bytes. */
    public int bytes() {
        return elementType.bytes();
    }

    /** Whether elements are floating-point numbers. */
    public boolean isFloat() {
        return elementType.isFloat();
    }

    /** Whether reductions make zeros of subnormals, operands and results; loads and stores keep them. */
    public boolean flushesSubnormals() {
        return this == FLOAT32_FTZ || this == TFLOAT32_FTZ;
    }

    /** Whether a load rounds the data to TF32 (10 mantissa bits); every other type copies bits unchanged. */
    public boolean roundsToTf32() {
        return this == TFLOAT32 || this == TFLOAT32_FTZ;
    }

    /** The value of {@code CUtensorMapDataType} in cuda.h. */
    public int cudaValue() {
        return ordinal();
    }

    /**
     * The type with this number in cuda.h.
     *
     * @throws IllegalArgumentException for a number it does not define
     */
    public static TensorDataType ofCudaValue(int value) {
        TensorDataType[] all = values();
        if (value < 0 || value >= all.length) {
            throw new IllegalArgumentException("tensor map data type must be in [0, " + (all.length - 1) + "], got "
                    + value);
        }
        return all[value];
    }

    /** The tensor map type that carries this element type bit for bit. Signed 8 and 16 bits travel as unsigned. */
    public static TensorDataType of(ElementType type) {
        Objects.requireNonNull(type, "type");
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
