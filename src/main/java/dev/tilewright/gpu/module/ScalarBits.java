package dev.tilewright.gpu.module;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.expression.Parameter;

/**
 * A scalar argument's bits from a Java number, in the low end. A number that the type cannot hold is refused; one
 * between two of its numbers is rounded to nearest. Allocates nothing.
 */
public final class ScalarBits {
    private static final long WORD = 0xFFFF_FFFFL;

    private ScalarBits() { }

    /** Bits of a scalar from an integer, for scalars of every type. */
    public static long of(Parameter.Scalar scalar, long value) {
        return switch (scalar.type()) {
            case F64 -> of(scalar, (double) value);
            // Rounded once: a double between the two might round up what then rounds up again.
            case F32, F16, BF16 -> of(scalar, (double) (float) value);
            default -> whole(scalar, value);
        };
    }

    private static long whole(Parameter.Scalar scalar, long value) {
        int bits = 8 * scalar.type().bytes();
        boolean signed = scalar.type().isSigned();
        long low = !signed ? 0 : bits == 64 ? Long.MIN_VALUE : -1L << bits - 1;
        // The largest u64 is more than a long can say.
        long high = bits == 64 ? Long.MAX_VALUE : (1L << (signed ? bits - 1 : bits)) - 1;
        if (value < low || value > high) {
            throw new IllegalArgumentException("scalar '" + scalar.name() + "' of type " + scalar.type()
                    + " takes numbers in [" + low + ", " + (bits == 64 && !signed ? "2^64)" : high + "]") + ", got "
                    + value + ": for raw bits there is setBits");
        }
        return bits == 64 ? value : value & (1L << bits) - 1;
    }

    /** Bits of a scalar from a floating-point number, for floating-point scalars. */
    public static long of(Parameter.Scalar scalar, double value) {
        return switch (scalar.type()) {
            case F64 -> Double.doubleToRawLongBits(value);
            case F32 -> Float.floatToRawIntBits(finite(scalar, value, (float) value)) & WORD;
            case F16 -> {
                long bits = FloatBits.toF16((float) value);
                finite(scalar, value, FloatBits.f16(bits));
                yield bits;
            }
            case BF16 -> {
                long bits = FloatBits.toBf16((float) value);
                finite(scalar, value, FloatBits.bf16(bits));
                yield bits;
            }
            default -> throw new IllegalArgumentException("scalar '" + scalar.name() + "' has the integer type "
                    + scalar.type() + ", got the floating-point number " + value + ": give a long");
        };
    }

    /** A number that only becomes infinite by rounding is a mistake. */
    private static float finite(Parameter.Scalar scalar, double value, float rounded) {
        if (Float.isInfinite(rounded) && !Double.isInfinite(value)) {
            ElementType type = scalar.type();
            throw new IllegalArgumentException("scalar '" + scalar.name() + "' got " + value
                    + ", which is beyond the largest " + type + ": give infinity if that is meant");
        }
        return rounded;
    }
}
