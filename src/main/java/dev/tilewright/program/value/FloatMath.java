package dev.tilewright.program.value;

import static dev.tilewright.layout.FloatBits.NAN_16;
import static dev.tilewright.layout.FloatBits.NAN_F32;
import static dev.tilewright.layout.FloatBits.NAN_F64;
import static dev.tilewright.layout.FloatBits.f32;
import static dev.tilewright.layout.FloatBits.f64;
import static dev.tilewright.layout.FloatBits.toF32;
import static dev.tilewright.layout.FloatBits.toF64;

import dev.tilewright.layout.FloatBits;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongUnaryOperator;

/**
 * Arithmetic of f16, bf16, f32 and f64, each operation rounded once, to nearest even. Java's own arithmetic is IEEE 754
 * to the bit, so that f32 and f64 need a look at NaNs only. In f16 and bf16 a sum, difference, product, quotient or
 * root is that of f32 rounded again: f32 has more than twice their bits and two, so that this is one rounding (S. A.
 * Figueroa, "When is double rounding innocuous?", 1995); for bf16, whose subnormals are near those of f32, the tests
 * say it too. A fused multiply-add of theirs has a sum of its own.
 */
final class FloatMath {
    private FloatMath() { }

    static LongUnaryOperator unary(UnaryOp op, ValueType type) {
        FloatFormat format = FloatFormat.of(type);
        return switch (op) {
            case NEGATE -> format::negated;
            case ABS -> format::magnitude;
            case SQRT -> switch (type) {
                case F32 -> a -> toF32((float) Math.sqrt(f32(a)));
                case F64 -> a -> toF64(Math.sqrt(f64(a)));
                default -> small(type, a -> (float) Math.sqrt(a));
            };
            case RECIPROCAL -> switch (type) {
                case F32 -> a -> toF32(1 / f32(a));
                case F64 -> a -> toF64(1 / f64(a));
                default -> small(type, a -> 1 / a);
            };
            case FLOOR -> whole(type, Math::floor);
            case CEIL -> whole(type, Math::ceil);
            case TRUNCATE -> whole(type, a -> a < 0 ? Math.ceil(a) : Math.floor(a));
            case ROUND_EVEN -> whole(type, Math::rint);
            case EXP2_FIXED -> a -> toF32(FixedPowers.of(f32(a)));
            default -> throw new AssertionError(op + " of " + type);
        };
    }

    static LongBinaryOperator binary(BinaryOp op, ValueType type) {
        FloatFormat format = FloatFormat.of(type);
        return switch (op) {
            case ADD -> switch (type) {
                case F32 -> (a, b) -> toF32(f32(a) + f32(b));
                case F64 -> (a, b) -> toF64(f64(a) + f64(b));
                default -> small(type, (a, b) -> a + b);
            };
            case SUB -> switch (type) {
                case F32 -> (a, b) -> toF32(f32(a) - f32(b));
                case F64 -> (a, b) -> toF64(f64(a) - f64(b));
                default -> small(type, (a, b) -> a - b);
            };
            case MUL -> switch (type) {
                case F32 -> (a, b) -> toF32(f32(a) * f32(b));
                case F64 -> (a, b) -> toF64(f64(a) * f64(b));
                default -> small(type, (a, b) -> a * b);
            };
            case DIV -> switch (type) {
                case F32 -> (a, b) -> toF32(f32(a) / f32(b));
                case F64 -> (a, b) -> toF64(f64(a) / f64(b));
                default -> small(type, (a, b) -> a / b);
            };
            case REM -> switch (type) {
                case F32 -> (a, b) -> toF32(f32(a) % f32(b));
                case F64 -> (a, b) -> toF64(f64(a) % f64(b));
                default -> small(type, (a, b) -> a % b);
            };
            case MIN -> least(type);
            case MAX -> greatest(type);
            case MIN_NAN -> orNan(format, least(type));
            case MAX_NAN -> orNan(format, greatest(type));
            case COPY_SIGN -> format::withSign;
            default -> throw new AssertionError(op + " of " + type);
        };
    }

    static LongTernaryOperator fma(ValueType type) {
        return switch (type) {
            case F32 -> (a, b, c) -> toF32(Math.fma(f32(a), f32(b), f32(c)));
            case F64 -> (a, b, c) -> toF64(Math.fma(f64(a), f64(b), f64(c)));
            case F16 -> (a, b, c) -> smallFma(FloatBits.f16(a), FloatBits.f16(b), FloatBits.f16(c), FloatFormat.F16);
            case BF16 -> (a, b, c) ->
                    smallFma(FloatBits.bf16(a), FloatBits.bf16(b), FloatBits.bf16(c), FloatFormat.BF16);
            default -> throw new AssertionError("fma of " + type);
        };
    }

    static LongBinaryPredicate compare(Comparison comparison, ValueType type) {
        if (type == ValueType.F32) {
            return switch (comparison) {
                case EQ -> (a, b) -> f32(a) == f32(b);
                case NE -> (a, b) -> f32(a) != f32(b);
                case LT -> (a, b) -> f32(a) < f32(b);
                case LE -> (a, b) -> f32(a) <= f32(b);
                case GT -> (a, b) -> f32(a) > f32(b);
                case GE -> (a, b) -> f32(a) >= f32(b);
                case ORDERED -> (a, b) -> !Float.isNaN(f32(a)) && !Float.isNaN(f32(b));
                case UNORDERED -> (a, b) -> Float.isNaN(f32(a)) || Float.isNaN(f32(b));
            };
        }
        LongToDoubleFunction value = value(type);
        return switch (comparison) {
            case EQ -> (a, b) -> value.applyAsDouble(a) == value.applyAsDouble(b);
            case NE -> (a, b) -> value.applyAsDouble(a) != value.applyAsDouble(b);
            case LT -> (a, b) -> value.applyAsDouble(a) < value.applyAsDouble(b);
            case LE -> (a, b) -> value.applyAsDouble(a) <= value.applyAsDouble(b);
            case GT -> (a, b) -> value.applyAsDouble(a) > value.applyAsDouble(b);
            case GE -> (a, b) -> value.applyAsDouble(a) >= value.applyAsDouble(b);
            case ORDERED -> (a, b) -> !Double.isNaN(value.applyAsDouble(a)) && !Double.isNaN(value.applyAsDouble(b));
            case UNORDERED -> (a, b) -> Double.isNaN(value.applyAsDouble(a)) || Double.isNaN(value.applyAsDouble(b));
        };
    }

    /** A number's value, which a double holds exactly. */
    private static LongToDoubleFunction value(ValueType type) {
        return switch (type) {
            case F16 -> FloatBits::f16;
            case BF16 -> FloatBits::bf16;
            case F32 -> FloatBits::f32;
            case F64 -> FloatBits::f64;
            default -> throw new AssertionError(type);
        };
    }

    private interface FloatUnary {
        float apply(float a);
    }

    private interface FloatBinary {
        float apply(float a, float b);
    }

    private static LongUnaryOperator small(ValueType type, FloatUnary f) {
        return type == ValueType.F16 ? a -> FloatBits.toF16(f.apply(FloatBits.f16(a)))
                : a -> FloatBits.toBf16(f.apply(FloatBits.bf16(a)));
    }

    private static LongBinaryOperator small(ValueType type, FloatBinary f) {
        return type == ValueType.F16 ? (a, b) -> FloatBits.toF16(f.apply(FloatBits.f16(a), FloatBits.f16(b)))
                : (a, b) -> FloatBits.toBf16(f.apply(FloatBits.bf16(a), FloatBits.bf16(b)));
    }

    /** Whole numbers are kept by every format that holds a number near them. */
    private static LongUnaryOperator whole(ValueType type, DoubleUnaryOperator f) {
        return switch (type) {
            case F32 -> a -> toF32((float) f.applyAsDouble(f32(a)));
            case F64 -> a -> toF64(f.applyAsDouble(f64(a)));
            default -> small(type, a -> (float) f.applyAsDouble(a));
        };
    }

    private static LongBinaryOperator least(ValueType type) {
        return switch (type) {
            case F16 -> FloatBits::minF16;
            case BF16 -> FloatBits::minBf16;
            case F32 -> (a, b) -> Float.isNaN(f32(a)) ? Float.isNaN(f32(b)) ? NAN_F32 : b
                    : Float.isNaN(f32(b)) || Float.compare(f32(a), f32(b)) < 0 ? a : b;
            default -> (a, b) -> Double.isNaN(f64(a)) ? Double.isNaN(f64(b)) ? NAN_F64 : b
                    : Double.isNaN(f64(b)) || Double.compare(f64(a), f64(b)) < 0 ? a : b;
        };
    }

    private static LongBinaryOperator greatest(ValueType type) {
        return switch (type) {
            case F16 -> FloatBits::maxF16;
            case BF16 -> FloatBits::maxBf16;
            case F32 -> (a, b) -> Float.isNaN(f32(a)) ? Float.isNaN(f32(b)) ? NAN_F32 : b
                    : Float.isNaN(f32(b)) || Float.compare(f32(a), f32(b)) > 0 ? a : b;
            default -> (a, b) -> Double.isNaN(f64(a)) ? Double.isNaN(f64(b)) ? NAN_F64 : b
                    : Double.isNaN(f64(b)) || Double.compare(f64(a), f64(b)) > 0 ? a : b;
        };
    }

    private static LongBinaryOperator orNan(FloatFormat format, LongBinaryOperator f) {
        return (a, b) -> format.isNan(a) || format.isNan(b) ? format.nan() : f.applyAsLong(a, b);
    }

    /**
     * A double holds the product exactly, and the sum with what was lost of it; a lost part sets the sum's lowest bit
     * (it is rounded to odd), so that the one rounding to the format goes where that of the exact sum goes.
     */
    private static long smallFma(double a, double b, double c, FloatFormat format) {
        double product = a * b;
        double sum = product + c;
        if (Double.isNaN(sum)) {
            return NAN_16;
        }
        long bits = Double.doubleToRawLongBits(sum);
        if (Double.isInfinite(sum)) {
            return format.infinity(sum < 0, false);
        }
        double ofProduct = sum - c;
        double lost = (product - ofProduct) + (c - (sum - ofProduct));
        if (lost != 0 && (bits & 1) == 0) {
            bits += lost < 0 == sum < 0 ? 1 : -1;
        }
        return sum == 0 ? format.zero(bits < 0) : format.round(bits < 0, FloatFormat.F64.significand(bits),
                FloatFormat.F64.exponent(bits), Rounding.NEAREST_EVEN, false);
    }
}
