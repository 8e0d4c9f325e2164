package dev.tilewright.tensormap.rules;

import dev.tilewright.layout.TensorDataType;

/**
 * What the rules need to know of {@code CUtensorMapDataType} (cuda.h) by its integer, the packed types included, which
 * {@link TensorDataType} does not describe: 13 is 16U4_ALIGN8B, 14 is 16U4_ALIGN16B, 15 is 16U6_ALIGN16B.
 */
final class DataTypeFacts {

    static final long U4_ALIGN8B = 13;
    static final long U4_ALIGN16B = 14;
    static final long U6_ALIGN16B = 15;
    static final long LAST = 15;

    private DataTypeFacts() { }

    static boolean isPlain(long type) {
        return type >= 0 && type < U4_ALIGN8B;
    }

    static boolean isPacked(long type) {
        return type >= U4_ALIGN8B && type <= LAST;
    }

    /** Whether the type wants addresses and strides that are multiples of 32 bytes and rows of 128 elements. */
    static boolean isAlign16B(long type) {
        return type == U4_ALIGN16B || type == U6_ALIGN16B;
    }

    static boolean isFloat(long type) {
        return isPlain(type) && TensorDataType.ofCudaValue((int) type).isFloat();
    }

    /** Bits of one element in global memory; 0 for a number that is no type. */
    static int bits(long type) {
        if (isPlain(type)) {
            return 8 * TensorDataType.ofCudaValue((int) type).bytes();
        }
        return !isPacked(type) ? 0 : type == U6_ALIGN16B ? 6 : 4;
    }

    /** A number of a type as users write it. */
    static String name(long type) {
        if (isPlain(type)) {
            return TensorDataType.ofCudaValue((int) type).name();
        }
        return type == U4_ALIGN8B ? "16U4_ALIGN8B" : type == U4_ALIGN16B ? "16U4_ALIGN16B"
                : type == U6_ALIGN16B ? "16U6_ALIGN16B" : Long.toString(type);
    }
}
