package dev.tilewright.reference.math;

import static dev.tilewright.layout.FloatBits.bf16;
import static dev.tilewright.layout.FloatBits.f16;
import static dev.tilewright.layout.FloatBits.f32;
import static dev.tilewright.layout.FloatBits.f64;
import static dev.tilewright.layout.FloatBits.toBf16;
import static dev.tilewright.layout.FloatBits.toF16;
import static dev.tilewright.layout.FloatBits.toF32;
import static dev.tilewright.layout.FloatBits.toF64;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.ElementStep;

/**
 * What an {@link ElementStep} does to raw bits; the rules are in its comment. {@link FloatBits} rounds.
 */
public final class ElementMath {
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
    public static long applyPacked(ElementStep step, ElementType type, long word, int count, long scalarBits) {
        int width = 8 * type.bytes();
        long result = 0;
        for (int i = 0; i < count; i++) {
            result |= apply(step, type, word >>> i * width, scalarBits) << i * width;
        }
        return result;
    }

    private static long scale(ElementType type, long a, long s) {
        return switch (type) {
            case F16 -> toF16(f16(a) * f32(s));
            case BF16 -> toBf16(bf16(a) * f32(s));
            case F32 -> toF32(f32(a) * f32(s));
            case F64 -> toF64(f64(a) * f64(s));
            case U8, I8, U16, I16, U32, I32, U64, I64 -> a * s & mask(type);
        };
    }

    private static long add(ElementType type, long a, long s) {
        return switch (type) {
            case F16 -> toF16(f16(a) + f32(s));
            case BF16 -> toBf16(bf16(a) + f32(s));
            case F32 -> toF32(f32(a) + f32(s));
            case F64 -> toF64(f64(a) + f64(s));
            case U8, I8, U16, I16, U32, I32, U64, I64 -> a + s & mask(type);
        };
    }

    private static long mask(ElementType type) {
        return -1L >>> 64 - 8 * type.bytes();
    }
}
