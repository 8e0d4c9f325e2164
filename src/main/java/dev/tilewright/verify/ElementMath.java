package dev.tilewright.verify;

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
 * What the steps that are there do to raw bits, in Java's own arithmetic: the rules are in {@link ElementStep}'s
 * comment, {@link FloatBits} rounds. It shares nothing with the arithmetic of values, which kernels and the reference
 * compute with.
 */
public final class ElementMath {
    private ElementMath() { }

    /**
     * The element that one of {@link ElementStep#CONSTANTS} makes of an element of the same type.
     *
     * @param bits the element's bits; bits above its width are ignored
     * @param scalarBits bits of the scalar, of type {@link ElementStep#scalarType}; not looked at by COPY
     * @return the result's bits, zero above the element's width
     */
    public static long apply(ElementStep step, ElementType type, long bits, long scalarBits) {
        if (step == ElementStep.COPY) {
            return bits & mask(type);
        }
        if (step == ElementStep.SCALE) {
            return scale(type, bits, scalarBits);
        }
        if (step == ElementStep.ADD) {
            return add(type, bits, scalarBits);
        }
        throw new IllegalArgumentException("the step '" + step + "' is none of " + ElementStep.CONSTANTS);
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
