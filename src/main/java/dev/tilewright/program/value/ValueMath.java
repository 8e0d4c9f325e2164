package dev.tilewright.program.value;

import java.util.Objects;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/** What the operations on values mean, on their words. */
public final class ValueMath {
    private ValueMath() {
    }

    private static float f(long w) {
        return Float.intBitsToFloat((int) w);
    }

    private static long w(float f) {
        return Float.isNaN(f) ? 0x7FFF_FFFFL : Float.floatToRawIntBits(f) & 0xFFFF_FFFFL;
    }

    public static void require(UnaryOp op, ValueType type) {
        Objects.requireNonNull(op, "op");
        Objects.requireNonNull(type, "type");
    }

    public static void require(BinaryOp op, ValueType type) {
        Objects.requireNonNull(op, "op");
        Objects.requireNonNull(type, "type");
    }

    public static void requireFma(ValueType type) {
        Objects.requireNonNull(type, "type");
    }

    public static void require(Comparison comparison, ValueType type) {
        Objects.requireNonNull(comparison, "comparison");
        Objects.requireNonNull(type, "type");
    }

    public static void require(Conversion conversion) {
        Objects.requireNonNull(conversion, "conversion");
    }

    public static long constant(ValueType type, double number) {
        Objects.requireNonNull(type, "type");
        return switch (type) {
            case F32 -> Float.floatToRawIntBits((float) number) & 0xFFFF_FFFFL;
            case F64 -> Double.doubleToRawLongBits(number);
            default -> type.word((long) number);
        };
    }

    public static LongUnaryOperator unary(UnaryOp op, ValueType type) {
        throw new UnsupportedOperationException(op + " " + type);
    }

    public static LongBinaryOperator binary(BinaryOp op, ValueType type) {
        if (type == ValueType.F32) {
            return switch (op) {
                case ADD -> (a, b) -> w(f(a) + f(b));
                case MUL -> (a, b) -> w(f(a) * f(b));
                case SUB -> (a, b) -> w(f(a) - f(b));
                default -> throw new UnsupportedOperationException(op + " " + type);
            };
        }
        return switch (op) {
            case ADD -> (a, b) -> type.word(a + b);
            case MUL -> (a, b) -> type.word(a * b);
            case SUB -> (a, b) -> type.word(a - b);
            default -> throw new UnsupportedOperationException(op + " " + type);
        };
    }

    public static LongTernaryOperator fma(ValueType type) {
        return (a, b, c) -> w(Math.fma(f(a), f(b), f(c)));
    }

    public static LongBinaryPredicate compare(Comparison comparison, ValueType type) {
        if (type == ValueType.F32) {
            return switch (comparison) {
                case EQ -> (a, b) -> f(a) == f(b);
                case NE -> (a, b) -> f(a) != f(b);
                case LT -> (a, b) -> f(a) < f(b);
                case LE -> (a, b) -> f(a) <= f(b);
                case GT -> (a, b) -> f(a) > f(b);
                case GE -> (a, b) -> f(a) >= f(b);
            };
        }
        return switch (comparison) {
            case EQ -> (a, b) -> a == b;
            case NE -> (a, b) -> a != b;
            case LT -> (a, b) -> a < b;
            case LE -> (a, b) -> a <= b;
            case GT -> (a, b) -> a > b;
            case GE -> (a, b) -> a >= b;
        };
    }

    public static LongUnaryOperator convert(Conversion conversion) {
        if (conversion.from() == ValueType.I32 && conversion.to() == ValueType.F32) {
            return a -> w((float) a);
        }
        throw new UnsupportedOperationException(conversion.toString());
    }
}
