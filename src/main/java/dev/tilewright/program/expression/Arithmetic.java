package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr.Op;
import dev.tilewright.program.expression.Expr.Relation;
import java.util.Objects;

/** The meaning of the operators of {@link Expr}, shared by constant folding and the reference executor. */
public final class Arithmetic {

    private Arithmetic() { }

    /**
     * The value of {@code a op b} in {@code type}. A remainder needs a quotient that fits, as in C++.
     *
     * @throws ArithmeticException if the result does not fit the type, on division by zero, and on a shift by a
     *     negative distance or by the type's width or more
     */
    public static long apply(Op op, IntType type, long a, long b) {
        // Asked for each element: without an array of what is asked.
        Objects.requireNonNull(op, "op");
        Objects.requireNonNull(type, "type");
        try {
            return fit(type, switch (op) {
                case ADD -> Math.addExact(a, b);
                case SUB -> Math.subtractExact(a, b);
                case MUL -> Math.multiplyExact(a, b);
                case DIV -> Math.divideExact(a, b);
                case REM -> {
                    fit(type, Math.divideExact(a, b));
                    yield a % b;
                }
                case MIN -> Math.min(a, b);
                case MAX -> Math.max(a, b);
                case AND -> a & b;
                case OR -> a | b;
                case XOR -> a ^ b;
                case SHL -> shiftLeft(a, distance(type, b));
                case SHR -> a >> distance(type, b);
            });
        } catch (ArithmeticException e) {
            throw new ArithmeticException(complaint(op, type, a, b));
        }
    }

    /**
     * The value of {@code a op b} in 64 bits, whatever becomes of it: sums and products wrap.
     *
     * @throws ArithmeticException on division by zero
     */
    public static long wrapped(Op op, long a, long b) {
        Objects.requireNonNull(op, "op");
        return switch (op) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case REM -> a % b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case AND -> a & b;
            case OR -> a | b;
            case XOR -> a ^ b;
            case SHL -> a << b;
            case SHR -> a >> b;
        };
    }

    /** Why {@code a op b} has no value in {@code type}, in one sentence with the numbers. */
    public static String complaint(Op op, IntType type, long a, long b) {
        NotNull.all("op, type", op, type);
        String expression = switch (op) {
            case MIN, MAX -> op.symbol() + "(" + a + ", " + b + ")";
            default -> a + " " + op.symbol() + " " + (b < 0 ? "(" + b + ")" : b);
        };
        if (b == 0 && (op == Op.DIV || op == Op.REM)) {
            return expression + " divides by zero";
        }
        if ((op == Op.SHL || op == Op.SHR) && (b < 0 || b >= width(type))) {
            return expression + " shifts a " + width(type) + "-bit index by " + b;
        }
        return expression + " does not fit a " + width(type) + "-bit index";
    }

    private static long shiftLeft(long a, long distance) {
        long result = a << distance;
        if (result >> distance != a) {
            throw new ArithmeticException();
        }
        return result;
    }

    /** C++ leaves a shift by the width or more undefined; Java takes the distance modulo the width. */
    private static long distance(IntType type, long bits) {
        if (bits < 0 || bits >= width(type)) {
            throw new ArithmeticException();
        }
        return bits;
    }

    private static int width(IntType type) {
        return type == IntType.S32 ? 32 : 64;
    }

    /** Whether {@code a relation b} holds. */
    public static boolean test(Relation relation, long a, long b) {
        Objects.requireNonNull(relation, "relation");
        return switch (relation) {
            case EQ -> a == b;
            case NE -> a != b;
            case LT -> a < b;
            case LE -> a <= b;
            case GT -> a > b;
            case GE -> a >= b;
        };
    }

    /**
     * The value itself.
     *
     * @throws ArithmeticException if it does not fit the type
     */
    public static long fit(IntType type, long value) {
        Objects.requireNonNull(type, "type");
        if (type == IntType.S32 && (int) value != value) {
            throw new ArithmeticException(value + " does not fit a 32-bit index");
        }
        return value;
    }
}
