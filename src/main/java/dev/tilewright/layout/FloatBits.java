package dev.tilewright.layout;

/**
 * Floating-point numbers as their bits, in the low end of a word that is zero above them: what they are worth, and the
 * bits that a number is rounded to, to nearest, ties to even. A NaN that a rounding or a sum makes is one fixed NaN of
 * each format, as the hardware makes it (measured on an H200; native-tests/recordings); only sums of f64 keep the NaNs
 * that they are given. {@link #flushF32} makes zeros of subnormals; nothing else here does.
 *
 * <p>Java's own {@code float} and {@code double} arithmetic is IEEE 754 to the bit, so that only NaNs and the short
 * formats need code.
 */
public final class FloatBits {
    /** The NaN of f16 and of bf16. */
    public static final long NAN_16 = 0x7FFFL;
    public static final long NAN_F32 = 0x7FFF_FFFFL;
    /** The NaN of a binary32 rounded to TF32. */
    public static final int NAN_TF32 = 0x7FFF_E000;
    public static final long NAN_F64 = 0x7FFF_FFFF_FFFF_FFFFL;
    /** The NaN that an atomic sum of infinities of both signs gives in f64. */
    public static final long NAN_OF_INFINITIES = 0xFFF8_0000_0000_0000L;

    private static final long WORD = 0xFFFF_FFFFL;
    private static final int TF32_DROPPED = 0x1FFF;

    private FloatBits() { }

    /** The value of an f16 (binary16). */
    public static float f16(long bits) {
        return Float.float16ToFloat((short) bits);
    }

    /** The value of a bf16. */
    public static float bf16(long bits) {
        return Float.intBitsToFloat((int) bits << 16);
    }

    /** The value of an f32 (binary32), a NaN with its bits. */
    public static float f32(long bits) {
        return Float.intBitsToFloat((int) bits);
    }

    /** The value of an f64 (binary64), a NaN with its bits. */
    public static double f64(long bits) {
        return Double.longBitsToDouble(bits);
    }

    /**
     * Rounds to binary16. Of a sum or product of two binary16 numbers a float holds enough bits that rounding twice is
     * rounding once; of bfloat16 too.
     */
    public static long toF16(float value) {
        return Float.isNaN(value) ? NAN_16 : Float.floatToFloat16(value) & 0xFFFFL;
    }

    /** Rounds to the upper half of the word; what overflows becomes infinity by itself. */
    public static long toBf16(float value) {
        if (Float.isNaN(value)) {
            return NAN_16;
        }
        int bits = Float.floatToRawIntBits(value);
        return bits + 0x7FFF + (bits >>> 16 & 1) >>> 16;
    }

    /** The bits of a value as an f32; every NaN is {@link #NAN_F32}. */
    public static long toF32(float value) {
        return Float.isNaN(value) ? NAN_F32 : Float.floatToRawIntBits(value) & WORD;
    }

    /** The bits of a value as an f64; every NaN is {@link #NAN_F64}. */
    public static long toF64(double value) {
        return Double.isNaN(value) ? NAN_F64 : Double.doubleToRawLongBits(value);
    }

    /**
     * A binary32 rounded to the 10 fraction bits of TF32, as a load through a TFLOAT32 or TFLOAT32_FTZ tensor map does
     * it: infinities, zeros and subnormals follow the same rounding. Without a branch, so that a loop over it can be
     * done several words at a time.
     */
    public static int toTf32(int bits) {
        int nan = 0x7F80_0000 - (bits & 0x7FFF_FFFF) >> 31;
        int lowestKept = bits >>> 13 & 1;
        int rounded = bits + (TF32_DROPPED >>> 1) + lowestKept & ~TF32_DROPPED;
        return rounded & ~nan | NAN_TF32 & nan;
    }

    /** Zero of the same sign for a subnormal of binary32; every other number as it is. */
    public static long flushF32(long bits) {
        return (bits & 0x7F80_0000L) == 0 ? bits & 0x8000_0000L : bits;
    }

    /** The sum of two binary32 numbers. */
    public static long addF32(long a, long b) {
        return toF32(f32(a) + f32(b));
    }

    /** The sum of two binary32 numbers, where operands and result are flushed. */
    public static long addF32Flushed(long a, long b) {
        return flushF32(addF32(flushF32(a), flushF32(b)));
    }

    /** The sum of two binary64 numbers. An operand that is a NaN is kept to the bit, the first of two. */
    public static long addF64(long first, long second) {
        if (Double.isNaN(f64(first))) {
            return first;
        }
        if (Double.isNaN(f64(second))) {
            return second;
        }
        double sum = f64(first) + f64(second);
        return Double.isNaN(sum) ? NAN_OF_INFINITIES : Double.doubleToRawLongBits(sum);
    }

    /** The less of two binary16 numbers, as {@link #minBf16} says for its format. */
    public static long minF16(long a, long b) {
        return ordered(a, f16(a), b, f16(b), false);
    }

    /** The greater of two binary16 numbers, as {@link #minBf16} says for its format. */
    public static long maxF16(long a, long b) {
        return ordered(a, f16(a), b, f16(b), true);
    }

    /** The less of two bfloat16 numbers: -0 before +0; the number where the other is a NaN. */
    public static long minBf16(long a, long b) {
        return ordered(a, bf16(a), b, bf16(b), false);
    }

    /** The greater of two bfloat16 numbers, as {@link #minBf16} orders them. */
    public static long maxBf16(long a, long b) {
        return ordered(a, bf16(a), b, bf16(b), true);
    }

    private static long ordered(long aBits, float a, long bBits, float b, boolean max) {
        if (Float.isNaN(a)) {
            return Float.isNaN(b) ? NAN_16 : bBits;
        }
        // Float.compare orders -0 before +0.
        return Float.isNaN(b) || Float.compare(a, b) < 0 != max ? aBits : bBits;
    }
}
