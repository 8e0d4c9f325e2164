package dev.tilewright.reference.math;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import java.util.function.LongBinaryOperator;

/**
 * The reductions of two elements, as functions of the bits in memory and the bits that come. Measured on an H200
 * (native-tests/recordings), linear and tensor reductions alike:
 * <ul>
 * <li>integers wrap; add rounds floats to nearest even and makes one fixed NaN ({@link FloatBits});</li>
 * <li>an f64 NaN stays as it is, to the bit; of two the one that comes. Infinities of both signs make
 * 0xFFF8000000000000;</li>
 * <li>min and max of f16 and bf16 take the number when the other is a NaN, make 0x7FFF of two NaNs, and hold -0 less
 * than +0.</li>
 * </ul>
 */
public final class ReduceMath {
    private static final long MASK_32 = 0xFFFF_FFFFL;

    private ReduceMath() { }

    /**
     * The function for operands that are zero above the element's width; so is its result.
     *
     * @param flush whether f32 makes zeros of subnormals, operands and results
     */
    public static LongBinaryOperator of(AtomicOp op, DataType type, boolean flush) {
        return switch (op) {
            case ADD -> add(type, flush);
            case MIN -> ordered(type, false);
            case MAX -> ordered(type, true);
            case INC -> (old, value) -> Long.compareUnsigned(old, value) >= 0 ? 0 : old + 1;
            case DEC -> (old, value) -> old == 0 || Long.compareUnsigned(old, value) > 0 ? value : old - 1;
            case AND -> (old, value) -> old & value;
            case OR -> (old, value) -> old | value;
            case XOR -> (old, value) -> old ^ value;
            case EXCH, CAS -> throw new IllegalArgumentException(op + " is no reduction");
        };
    }

    private static LongBinaryOperator add(DataType type, boolean flush) {
        return switch (type) {
            case U32, S32 -> (old, value) -> old + value & MASK_32;
            case U64, S64 -> Long::sum;
            case F16 -> (old, value) -> FloatBits.toF16(FloatBits.f16(old) + FloatBits.f16(value));
            case BF16 -> (old, value) -> FloatBits.toBf16(FloatBits.bf16(old) + FloatBits.bf16(value));
            case F32 -> flush ? FloatBits::addF32Flushed : FloatBits::addF32;
            case F64 -> (old, value) -> FloatBits.addF64(value, old);
            case B8, B16, B32, B64, U8, U16, S8, S16 -> throw lacks(type, "add");
        };
    }

    private static LongBinaryOperator ordered(DataType type, boolean max) {
        return switch (type) {
            case U32, U64 -> max ? (old, value) -> Long.compareUnsigned(old, value) < 0 ? value : old
                    : (old, value) -> Long.compareUnsigned(old, value) < 0 ? old : value;
            case S32 -> max ? (old, value) -> (int) old < (int) value ? value : old
                    : (old, value) -> (int) old < (int) value ? old : value;
            case S64 -> max ? Math::max : Math::min;
            case F16 -> max ? FloatBits::maxF16 : FloatBits::minF16;
            case BF16 -> max ? FloatBits::maxBf16 : FloatBits::minBf16;
            case B8, B16, B32, B64, U8, U16, S8, S16, F32, F64 -> throw lacks(type, "min and max");
        };
    }

    private static IllegalArgumentException lacks(DataType type, String what) {
        return new IllegalArgumentException(type + " has no " + what);
    }
}
