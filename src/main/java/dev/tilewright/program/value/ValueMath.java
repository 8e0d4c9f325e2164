package dev.tilewright.program.value;

import dev.tilewright.NotNull;
import dev.tilewright.layout.FloatBits;
import java.util.Objects;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * The meaning of the operations on values, bit by bit, as functions on words ({@link ValueType} defines words). A float
 * result is rounded once. One that is a NaN is 0x7FFFFFFF in f32, 0x7FFF in f16 and bf16, 0x7FFFFFFFFFFFFFFF in f64
 * (where the hardware would hand an operand's payload on, which of two is the compiler's choice; the emitted code has
 * this one instead); but negate, absolute value, copy sign and the conversion from bf16 to f32 move bits and keep it.
 *
 * <p>The functions are made to be kept: asking for one costs more than calling it.
 */
public final class ValueMath {
    private ValueMath() { }

    /** Whether there is such an operation. */
    public static boolean has(UnaryOp op, ValueType type) {
        return ValueRules.against(Objects.requireNonNull(op, "op"), Objects.requireNonNull(type, "type")) == null;
    }

    /** Whether there is such an operation. */
    public static boolean has(BinaryOp op, ValueType type) {
        return ValueRules.against(Objects.requireNonNull(op, "op"), Objects.requireNonNull(type, "type")) == null;
    }

    /** Whether the type has a fused multiply-add. */
    public static boolean hasFma(ValueType type) {
        return ValueRules.againstFma(Objects.requireNonNull(type, "type")) == null;
    }

    /** Whether there is such an operation. */
    public static boolean has(Comparison comparison, ValueType type) {
        return ValueRules.against(Objects.requireNonNull(comparison, "comparison"),
                Objects.requireNonNull(type, "type")) == null;
    }

    /** Whether there is such an operation. */
    public static boolean has(Conversion conversion) {
        return ValueRules.against(Objects.requireNonNull(conversion, "conversion")) == null;
    }

    /** @throws IllegalArgumentException if the type has no such operation, with the rule and what would do */
    public static void require(UnaryOp op, ValueType type) {
        refuse(ValueRules.against(Objects.requireNonNull(op, "op"), Objects.requireNonNull(type, "type")));
    }

    /** @throws IllegalArgumentException if the type has no such operation, with the rule and what would do */
    public static void require(BinaryOp op, ValueType type) {
        refuse(ValueRules.against(Objects.requireNonNull(op, "op"), Objects.requireNonNull(type, "type")));
    }

    /** @throws IllegalArgumentException if the type has no fused multiply-add, with the rule and what would do */
    public static void requireFma(ValueType type) {
        refuse(ValueRules.againstFma(Objects.requireNonNull(type, "type")));
    }

    /** @throws IllegalArgumentException if values of the type are not so compared, with the rule and what would do */
    public static void require(Comparison comparison, ValueType type) {
        refuse(ValueRules.against(Objects.requireNonNull(comparison, "comparison"),
                Objects.requireNonNull(type, "type")));
    }

    /** @throws IllegalArgumentException if there is no such conversion, with the rule and what would do */
    public static void require(Conversion conversion) {
        refuse(ValueRules.against(Objects.requireNonNull(conversion, "conversion")));
    }

    /** @throws IllegalArgumentException as {@link #require(UnaryOp, ValueType)} */
    public static LongUnaryOperator unary(UnaryOp op, ValueType type) {
        NotNull.all("op, type", op, type);
        require(op, type);
        return type.isFloat() ? FloatMath.unary(op, type) : IntegerMath.unary(op, type);
    }

    /**
     * A division of integers by zero is an {@link ArithmeticException} of the function.
     *
     * @throws IllegalArgumentException as {@link #require(BinaryOp, ValueType)}
     */
    public static LongBinaryOperator binary(BinaryOp op, ValueType type) {
        NotNull.all("op, type", op, type);
        require(op, type);
        return type.isFloat() ? FloatMath.binary(op, type) : IntegerMath.binary(op, type);
    }

    /**
     * The first times the second plus the third.
     *
     * @throws IllegalArgumentException as {@link #requireFma}
     */
    public static LongTernaryOperator fma(ValueType type) {
        Objects.requireNonNull(type, "type");
        requireFma(type);
        return FloatMath.fma(type);
    }

    /** @throws IllegalArgumentException as {@link #require(Comparison, ValueType)} */
    public static LongBinaryPredicate compare(Comparison comparison, ValueType type) {
        NotNull.all("comparison, type", comparison, type);
        require(comparison, type);
        return type.isFloat() ? FloatMath.compare(comparison, type) : IntegerMath.compare(comparison, type);
    }

    /** @throws IllegalArgumentException as {@link #require(Conversion)} */
    public static LongUnaryOperator convert(Conversion conversion) {
        Objects.requireNonNull(conversion, "conversion");
        require(conversion);
        return Conversions.of(conversion);
    }

    /** Whether a value converts directly from the first type to the second, and every value is kept. */
    public static boolean isExact(ValueType from, ValueType to) {
        NotNull.all("from, to", from, to);
        return from == to || ValueRules.isExact(from, to);
    }

    /**
     * The word of a number: of a float type the nearest, the even one of two; of an integer type or a predicate the
     * number itself.
     *
     * @throws IllegalArgumentException if an integer type or a predicate does not hold the number
     */
    public static long constant(ValueType type, double value) {
        Objects.requireNonNull(type, "type");
        if (type == ValueType.TF32) {
            return convert(new Conversion(ValueType.F32, type, Rounding.NEAREST_EVEN, false))
                    .applyAsLong(FloatBits.toF32((float) value));
        }
        long bits = FloatBits.toF64(value);
        if (type.isFloat()) {
            return Conversions.of(new Conversion(ValueType.F64, type, Rounding.NEAREST_EVEN, false)).applyAsLong(bits);
        }
        ValueType integer = type == ValueType.PRED ? ValueType.U8 : type;
        long word = Conversions.of(new Conversion(ValueType.F64, integer, Rounding.TOWARDS_ZERO, true))
                .applyAsLong(bits);
        double back = integer == ValueType.U64 && word < 0 ? (word >>> 1) * 2.0 : word;
        if (back != value || type == ValueType.PRED && word > 1
                || (integer == ValueType.U64 ? word == -1 : integer == ValueType.I64 && word == Long.MAX_VALUE)) {
            throw new IllegalArgumentException(value + " is no number of " + type + ": its numbers are "
                    + (type == ValueType.PRED ? "0 and 1" : "whole, from " + IntegerMath.least(integer) + " to "
                            + Long.toUnsignedString(IntegerMath.greatest(integer))));
        }
        return word;
    }

    private static void refuse(String rule) {
        if (rule != null) {
            throw new IllegalArgumentException(rule);
        }
    }
}
