package dev.tilewright.program.value;

import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/** Integers and predicates: everything wraps to the type's width. A word is as {@link ValueType#word} has it. */
final class IntegerMath {
    private IntegerMath() { }

    static LongUnaryOperator unary(UnaryOp op, ValueType type) {
        int bits = type.bits();
        long mask = -1L >>> Long.SIZE - bits;
        return switch (op) {
            case NEGATE -> wrapped(type, a -> -a);
            case ABS -> type.isSigned() ? wrapped(type, Math::abs) : a -> a;
            case NOT -> wrapped(type, a -> ~a);
            case COUNT_ONES -> a -> Long.bitCount(a & mask);
            case LEADING_ZEROS -> a -> Long.numberOfLeadingZeros(a & mask) - (Long.SIZE - bits);
            case REVERSE_BITS -> wrapped(type, a -> Long.reverse(a) >>> Long.SIZE - bits);
            default -> throw new AssertionError(op + " of " + type);
        };
    }

    static LongBinaryOperator binary(BinaryOp op, ValueType type) {
        boolean signed = type.isSigned();
        int bits = type.bits();
        return switch (op) {
            case ADD -> type == ValueType.I32 ? (a, b) -> (int) a + (int) b : wrapped(type, (a, b) -> a + b);
            case SUB -> type == ValueType.I32 ? (a, b) -> (int) a - (int) b : wrapped(type, (a, b) -> a - b);
            case MUL -> type == ValueType.I32 ? (a, b) -> (int) a * (int) b : wrapped(type, (a, b) -> a * b);
            case DIV -> signed ? wrapped(type, (a, b) -> a / divisor(b, a, type))
                    : (a, b) -> Long.divideUnsigned(a, divisor(b, a, type));
            case REM -> signed ? (a, b) -> a % divisor(b, a, type)
                    : (a, b) -> Long.remainderUnsigned(a, divisor(b, a, type));
            case MIN -> signed ? Math::min : (a, b) -> Long.compareUnsigned(a, b) < 0 ? a : b;
            case MAX -> signed ? Math::max : (a, b) -> Long.compareUnsigned(a, b) > 0 ? a : b;
            case AND -> (a, b) -> a & b;
            case OR -> (a, b) -> a | b;
            case XOR -> (a, b) -> a ^ b;
            // A negative count is as large as it is without a sign.
            case SHL -> wrapped(type, (a, b) -> Long.compareUnsigned(b, bits) < 0 ? a << b : 0);
            case SHR -> signed ? (a, b) -> a >> (Long.compareUnsigned(b, bits) < 0 ? b : Long.SIZE - 1)
                    : (a, b) -> Long.compareUnsigned(b, bits) < 0 ? a >>> b : 0;
            case MUL_HI -> bits == Long.SIZE ? signed ? Math::multiplyHigh : Math::unsignedMultiplyHigh
                    : signed ? (a, b) -> a * b >> Integer.SIZE : (a, b) -> a * b >>> Integer.SIZE;
            default -> throw new AssertionError(op + " of " + type);
        };
    }

    static LongBinaryPredicate compare(Comparison comparison, ValueType type) {
        boolean signed = type.isSigned();
        return switch (comparison) {
            case EQ -> (a, b) -> a == b;
            case NE -> (a, b) -> a != b;
            case LT -> signed ? (a, b) -> a < b : (a, b) -> Long.compareUnsigned(a, b) < 0;
            case LE -> signed ? (a, b) -> a <= b : (a, b) -> Long.compareUnsigned(a, b) <= 0;
            case GT -> signed ? (a, b) -> a > b : (a, b) -> Long.compareUnsigned(a, b) > 0;
            case GE -> signed ? (a, b) -> a >= b : (a, b) -> Long.compareUnsigned(a, b) >= 0;
            case ORDERED, UNORDERED -> throw new AssertionError(comparison + " of " + type);
        };
    }

    /** The integer of the type that is nearest to a word of another integer type. */
    static LongUnaryOperator saturated(ValueType from, ValueType to) {
        long least = least(to);
        long greatest = greatest(to);
        boolean fromSigned = from.isSigned();
        return a -> {
            if (!fromSigned && a < 0) {
                // From 2^63 on.
                return to == ValueType.U64 ? a : greatest;
            }
            return a < least ? least : to != ValueType.U64 && a > greatest ? greatest : a;
        };
    }

    /** The word of the type's least number. */
    static long least(ValueType type) {
        return type.isSigned() ? -1L << type.bits() - 1 : 0;
    }

    /** The word of the type's greatest number. */
    static long greatest(ValueType type) {
        return type.isSigned() ? ~least(type) : -1L >>> Long.SIZE - type.bits();
    }

    private static long divisor(long b, long a, ValueType type) {
        if (b == 0) {
            throw new ArithmeticException("division of " + (type.isSigned() ? Long.toString(a)
                    : Long.toUnsignedString(a)) + " (" + type + ") by zero: on a GPU the result is undefined; "
                    + "select another divisor where it is zero");
        }
        return b;
    }

    private static LongUnaryOperator wrapped(ValueType type, LongUnaryOperator f) {
        return switch (type) {
            case I32 -> a -> (int) f.applyAsLong(a);
            case U32 -> a -> f.applyAsLong(a) & 0xFFFF_FFFFL;
            case I64, U64 -> f;
            default -> a -> type.word(f.applyAsLong(a));
        };
    }

    private static LongBinaryOperator wrapped(ValueType type, LongBinaryOperator f) {
        return switch (type) {
            case I32 -> (a, b) -> (int) f.applyAsLong(a, b);
            case U32 -> (a, b) -> f.applyAsLong(a, b) & 0xFFFF_FFFFL;
            case I64, U64 -> f;
            default -> (a, b) -> type.word(f.applyAsLong(a, b));
        };
    }
}
