package dev.tilewright.reference;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;

/**
 * What an {@link ElementStep} does to raw bits; the rules are in its comment. Java's own {@code float} and
 * {@code double} arithmetic is IEEE 754 to the bit, so only NaNs and the two 16-bit types need code.
 */
public final class ElementMath {
    private static final long NAN_16 = 0x7FFFL;
    private static final long NAN_32 = 0x7FFF_FFFFL;
    private static final long NAN_64 = 0x7FFF_FFFF_FFFF_FFFFL;

    private ElementMath() {
    }

    /**
     * The element that the step makes of one element.
     *
     * @param bits the element's bits; bits above its width are ignored
     * @param scalarBits bits of the scalar, of type {@link ElementStep#scalarType}; not looked at by COPY
     * @return the result's bits, zero above the element's width
     */
    public static long apply(ElementStep step, ElementType type, long bits, long scalarBits) {
        return switch (step) {
            case COPY -> bits & mask(type);
            case SCALE -> scale(type, bits, scalarBits);
            case ADD -> add(type, bits, scalarBits);
        };
    }

    /** Applies the step to the lowest {@code count} elements packed in a word; the rest becomes zero. */
    static long applyPacked(ElementStep step, ElementType type, long word, int count, long scalarBits) {
        int width = 8 * type.bytes();
        long result = 0;
        for (int i = 0; i < count; i++) {
            result |= apply(step, type, word >>> i * width, scalarBits) << i * width;
        }
        return result;
    }

    private static long scale(ElementType type, long a, long s) {
        return switch (type) {
            case F16 -> toF16(Float.float16ToFloat((short) a) * f32(s));
            case BF16 -> toBf16(fromBf16(a) * f32(s));
            case F32 -> toF32(f32(a) * f32(s));
            case F64 -> toF64(Double.longBitsToDouble(a) * Double.longBitsToDouble(s));
            case U8, I8, U16, I16, U32, I32, U64, I64 -> a * s & mask(type);
        };
    }

    private static long add(ElementType type, long a, long s) {
        return switch (type) {
            case F16 -> toF16(Float.float16ToFloat((short) a) + f32(s));
            case BF16 -> toBf16(fromBf16(a) + f32(s));
            case F32 -> toF32(f32(a) + f32(s));
            case F64 -> toF64(Double.longBitsToDouble(a) + Double.longBitsToDouble(s));
            case U8, I8, U16, I16, U32, I32, U64, I64 -> a + s & mask(type);
        };
    }

    private static float f32(long bits) {
        return Float.intBitsToFloat((int) bits);
    }

    private static float fromBf16(long bits) {
        return Float.intBitsToFloat((int) bits << 16);
    }

    private static long toF16(float value) {
        return Float.isNaN(value) ? NAN_16 : Float.floatToFloat16(value) & 0xFFFFL;
    }

    /** Rounds to the upper half of the word, to nearest even; what overflows becomes infinity by itself. */
    private static long toBf16(float value) {
        if (Float.isNaN(value)) {
            return NAN_16;
        }
        int bits = Float.floatToRawIntBits(value);
        return bits + 0x7FFF + (bits >>> 16 & 1) >>> 16;
    }

    private static long toF32(float value) {
        return Float.isNaN(value) ? NAN_32 : Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
    }

    private static long toF64(double value) {
        return Double.isNaN(value) ? NAN_64 : Double.doubleToRawLongBits(value);
    }

    private static long mask(ElementType type) {
        return -1L >>> 64 - 8 * type.bytes();
    }
}
