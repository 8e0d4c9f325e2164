package dev.tilewright.reference;

import dev.tilewright.ptx.copy.ReduceOp;
import java.util.function.LongBinaryOperator;

/**
 * The reductions of two elements, as functions of the bits in memory and the bits that come. Measured on an H200
 * (native-tests/recordings), linear and tensor reductions alike:
 * <ul>
 * <li>integers wrap; add rounds floats to nearest even; a NaN that add makes is 0x7FFFFFFF in f32, 0x7FFF in f16 and
 * bf16;</li>
 * <li>an f64 NaN stays as it is, to the bit; of two the one that comes. Infinities of both signs make
 * 0xFFF8000000000000;</li>
 * <li>min and max of f16 and bf16 take the number when the other is a NaN, make 0x7FFF of two NaNs, and hold -0 less than
 * +0.</li>
 * </ul>
 */
final class ReduceMath {
    private static final long NAN_16 = 0x7FFF;
    private static final long NAN_32 = 0x7FFF_FFFFL;
    private static final long NAN_64 = 0xFFF8_0000_0000_0000L;
    private static final long MASK_32 = 0xFFFF_FFFFL;

    private ReduceMath() {
    }

    /** The function for operands that are zero above the element's width; so is its result. */
    static LongBinaryOperator of(ReduceOp op, ReduceType type) {
        return switch (op) {
            case ADD -> add(type);
            case MIN -> ordered(type, false);
            case MAX -> ordered(type, true);
            case INC -> (old, value) -> old >= value ? 0 : old + 1;
            case DEC -> (old, value) -> old == 0 || old > value ? value : old - 1;
            case AND -> (old, value) -> old & value;
            case OR -> (old, value) -> old | value;
            case XOR -> (old, value) -> old ^ value;
        };
    }

    private static LongBinaryOperator add(ReduceType type) {
        return switch (type) {
            case U32, S32, B32 -> (old, value) -> old + value & MASK_32;
            case U64, S64, B64 -> Long::sum;
            case F16 -> (old, value) -> toF16(f16(old) + f16(value));
            case BF16 -> (old, value) -> toBf16(bf16(old) + bf16(value));
            case F32 -> (old, value) -> toF32(f32(old) + f32(value));
            case F32_FTZ -> (old, value) -> flush(toF32(f32(flush(old)) + f32(flush(value))));
            case F64 -> ReduceMath::addF64;
        };
    }

    private static LongBinaryOperator ordered(ReduceType type, boolean max) {
        return switch (type) {
            case U32, B32, U64, B64 -> (old, value) -> Long.compareUnsigned(old, value) < 0 == max ? value : old;
            case S32 -> (old, value) -> (int) old < (int) value == max ? value : old;
            case S64 -> (old, value) -> old < value == max ? value : old;
            case F16 -> (old, value) -> ordered(old, f16(old), value, f16(value), max);
            case BF16 -> (old, value) -> ordered(old, bf16(old), value, bf16(value), max);
            case F32, F32_FTZ, F64 -> throw new IllegalArgumentException(type + " has no min and max");
        };
    }

    private static long ordered(long oldBits, float old, long valueBits, float value, boolean max) {
        if (Float.isNaN(old)) {
            return Float.isNaN(value) ? NAN_16 : valueBits;
        }
        // Float.compare orders -0 before +0.
        return Float.isNaN(value) || Float.compare(old, value) < 0 != max ? oldBits : valueBits;
    }

    private static long addF64(long old, long value) {
        double a = Double.longBitsToDouble(old);
        double b = Double.longBitsToDouble(value);
        if (Double.isNaN(b)) {
            return value;
        }
        if (Double.isNaN(a)) {
            return old;
        }
        double sum = a + b;
        return Double.isNaN(sum) ? NAN_64 : Double.doubleToRawLongBits(sum);
    }

    private static float f16(long bits) {
        return Float.float16ToFloat((short) bits);
    }

    private static float bf16(long bits) {
        return Float.intBitsToFloat((int) bits << 16);
    }

    private static float f32(long bits) {
        return Float.intBitsToFloat((int) bits);
    }

    /** A float holds the sum of two binary16 numbers so exactly that rounding twice is rounding once; bfloat16 too. */
    private static long toF16(float sum) {
        return Float.isNaN(sum) ? NAN_16 : Float.floatToFloat16(sum) & 0xFFFFL;
    }

    private static long toBf16(float sum) {
        if (Float.isNaN(sum)) {
            return NAN_16;
        }
        int bits = Float.floatToRawIntBits(sum);
        return bits + 0x7FFF + (bits >>> 16 & 1) >>> 16;
    }

    private static long toF32(float sum) {
        return Float.isNaN(sum) ? NAN_32 : Float.floatToRawIntBits(sum) & MASK_32;
    }

    /** Zero of the same sign for a subnormal. */
    private static long flush(long bits) {
        return (bits & 0x7F80_0000L) == 0 ? bits & 0x8000_0000L : bits;
    }
}
