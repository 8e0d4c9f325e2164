package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import java.util.Locale;
import java.util.Objects;

/**
 * What a kernel does to each element on its way. CUDA and Java agree on every bit:
 * <ul>
 * <li>integers wrap around;</li>
 * <li>f16 and bf16 are widened to f32, computed there, and rounded back once, to nearest even;</li>
 * <li>f32 and f64 round to nearest even, subnormals kept, never contracted into a fused multiply-add;</li>
 * <li>a NaN result is one fixed NaN: 0x7FFF for f16 and bf16, 0x7FFFFFFF for f32 (what the hardware makes of every
 * NaN), 0x7FFFFFFFFFFFFFFF for f64 (chosen to match; hardware would keep a payload).</li>
 * </ul>
 */
public enum ElementStep {
    /** The bits unchanged, NaNs included. */
    COPY,
    /** The element times the scalar. */
    SCALE,
    /** The element plus the scalar. */
    ADD;

    public boolean hasScalar() {
        return this != COPY;
    }

    /** The name of the function that applies it to elements of this type in generated code. */
    public String functionName(ElementType element) {
        Objects.requireNonNull(element, "element");
        return name().toLowerCase(Locale.ROOT) + "_" + element;
    }

    /** The type of the scalar for elements of this type: the type that the step computes in. */
    public static ElementType scalarType(ElementType element) {
        Objects.requireNonNull(element, "element");
        return element == ElementType.F16 || element == ElementType.BF16 ? ElementType.F32 : element;
    }
}
