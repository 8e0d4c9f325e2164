package dev.tilewright.program;

import dev.tilewright.program.Expr.Op;
import dev.tilewright.program.Expr.Relation;

/** What the operators of {@link Expr} mean, shared by constant folding and by whoever runs a program. */
public final class Arithmetic {

    private Arithmetic() {
    }

    /**
     * The value of {@code a op b} in {@code type}.
     *
     * @throws ArithmeticException if the result does not fit the type, or on division by zero
     */
    public static long apply(Op op, IntType type, long a, long b) {
        long result = switch (op) {
            case ADD -> Math.addExact(a, b);
            case SUB -> Math.subtractExact(a, b);
            case MUL -> Math.multiplyExact(a, b);
            case DIV -> a / b;
            case REM -> a % b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case AND -> a & b;
            case OR -> a | b;
            case XOR -> a ^ b;
            case SHL -> type == IntType.S32 ? (long) (int) a << b : a << b;
            case SHR -> a >> b;
        };
        return fit(type, result);
    }

    /** Whether {@code a relation b} holds. */
    public static boolean test(Relation relation, long a, long b) {
        return switch (relation) {
            case EQ -> a == b;
            case NE -> a != b;
            case LT -> a < b;
            case LE -> a <= b;
            case GT -> a > b;
            case GE -> a >= b;
        };
    }

    /** The value itself. @throws ArithmeticException if it does not fit the type */
    public static long fit(IntType type, long value) {
        if (type == IntType.S32 && (int) value != value) {
            throw new ArithmeticException(value + " does not fit a 32-bit index");
        }
        return value;
    }
}
