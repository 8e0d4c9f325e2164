package dev.tilewright.program.value;

import static dev.tilewright.layout.FloatBits.f32;
import static dev.tilewright.layout.FloatBits.f64;
import static dev.tilewright.layout.FloatBits.toF32;
import static dev.tilewright.layout.FloatBits.toF64;

import dev.tilewright.layout.FloatBits;
import java.util.function.LongUnaryOperator;

/** What {@link Conversion}s do, each with one rounding. A NaN becomes the result type's own, but from bf16 to f32. */
final class Conversions {
    private Conversions() { }

    static LongUnaryOperator of(Conversion conversion) {
        ValueType from = conversion.from();
        ValueType to = conversion.to();
        if (from == to) {
            return a -> a;
        }
        LongUnaryOperator direct = direct(conversion);
        if (direct != null) {
            return direct;
        }
        if (!from.isFloat() && !to.isFloat()) {
            return from == ValueType.PRED ? a -> a : conversion.saturate() ? IntegerMath.saturated(from, to) : to::word;
        }
        return !from.isFloat() ? toFloat(from, FloatFormat.of(to), conversion.rounding(), conversion.saturate())
                : to.isFloat() ? between(FloatFormat.of(from), FloatFormat.of(to), conversion)
                : toInteger(FloatFormat.of(from), to, conversion.rounding());
    }

    /** The frequent ones, shorter. */
    private static LongUnaryOperator direct(Conversion c) {
        boolean nearest = c.rounding() == Rounding.NEAREST_EVEN && !c.saturate();
        return switch (c.from()) {
            case BF16 -> c.to() == ValueType.F32 ? a -> a << 16 : null;
            case F16 -> c.to() == ValueType.F32 ? a -> toF32(FloatBits.f16(a)) : null;
            case I32 -> !nearest ? null : switch (c.to()) {
                case F32 -> a -> toF32((float) (int) a);
                case F64 -> a -> toF64((int) a);
                default -> null;
            };
            case F32 -> {
                if (c.to() == ValueType.I32 && c.rounding() == Rounding.TOWARDS_ZERO) {
                    yield a -> (int) f32(a);
                }
                yield !nearest ? null : switch (c.to()) {
                    case F16 -> a -> FloatBits.toF16(f32(a));
                    case BF16 -> a -> FloatBits.toBf16(f32(a));
                    case F64 -> a -> toF64(f32(a));
                    default -> null;
                };
            }
            case F64 -> nearest && c.to() == ValueType.F32 ? a -> toF32((float) f64(a)) : null;
            default -> null;
        };
    }

    private static LongUnaryOperator toFloat(ValueType from, FloatFormat to, Rounding rounding, boolean saturate) {
        boolean signed = from.isSigned();
        return a -> a == 0 ? 0 : to.round(signed && a < 0, signed ? Math.abs(a) : a, 0, rounding, saturate);
    }

    private static LongUnaryOperator between(FloatFormat from, FloatFormat to, Conversion conversion) {
        Rounding rounding = conversion.rounding();
        boolean saturate = conversion.saturate() || to == FloatFormat.E4M3 || to == FloatFormat.E5M2;
        return a -> {
            if (from.isNan(a)) {
                return to.nan();
            }
            boolean negative = from.isNegative(a);
            if (from.isInfinite(a)) {
                return to.infinity(negative, saturate);
            }
            long significand = from.significand(a);
            return significand == 0 ? to.zero(negative)
                    : to.round(negative, significand, from.exponent(a), rounding, saturate);
        };
    }

    private static LongUnaryOperator toInteger(FloatFormat from, ValueType to, Rounding rounding) {
        long least = IntegerMath.least(to);
        long greatest = IntegerMath.greatest(to);
        return a -> {
            if (from.isNan(a)) {
                return 0;
            }
            boolean negative = from.isNegative(a);
            long limit = negative ? least : greatest;
            if (from.isInfinite(a)) {
                return limit;
            }
            long significand = from.significand(a);
            int exponent = from.exponent(a);
            int top = exponent + Long.SIZE - Long.numberOfLeadingZeros(significand);
            if (top > Long.SIZE) {
                return limit;
            }
            long whole = exponent >= 0 ? significand << exponent : rounded(negative, significand, -exponent, rounding);
            // Both without a sign: the most negative number's magnitude is one more than the greatest's.
            return Long.compareUnsigned(whole, negative ? -least : greatest) > 0 ? limit : negative ? -whole : whole;
        };
    }

    /** The significand over 2 to the power, rounded to a whole number. A significand has 53 bits at most. */
    private static long rounded(boolean negative, long significand, int power, Rounding rounding) {
        long kept = power < Long.SIZE ? significand >>> power : 0;
        boolean exact = power < Long.SIZE ? kept << power == significand : significand == 0;
        if (exact) {
            return kept;
        }
        boolean up = switch (rounding) {
            case TOWARDS_ZERO -> false;
            case DOWN -> negative;
            case UP -> !negative;
            case NEAREST_EVEN, NEAREST_AWAY -> {
                long half = power <= Long.SIZE - 1 ? 1L << power - 1 : Long.MAX_VALUE;
                long rest = significand - (kept << (power < Long.SIZE ? power : 0));
                yield rest > half || rest == half && (kept & 1) != 0;
            }
        };
        return up ? kept + 1 : kept;
    }
}
