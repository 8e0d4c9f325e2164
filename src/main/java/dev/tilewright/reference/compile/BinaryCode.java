package dev.tilewright.reference.compile;

import dev.tilewright.program.Arithmetic;
import dev.tilewright.program.Expr.Op;
import dev.tilewright.program.IntType;
import dev.tilewright.reference.op.IndexCode;
import dev.tilewright.reference.op.IndexFault;

/**
 * The operators of index expressions, one small piece of code for each. They mean what {@link Arithmetic#apply} says;
 * the common ones are written out for speed, the rest call it.
 */
final class BinaryCode {

    private BinaryCode() {
    }

    static IndexCode of(Op op, IntType type, IndexCode left, IndexCode right) {
        if (left instanceof IndexCode.Constant(long a) && right instanceof IndexCode.Constant(long b)) {
            try {
                return new IndexCode.Constant(Arithmetic.apply(op, type, a, b));
            } catch (ArithmeticException e) {
                // Only a thread that gets here makes the mistake.
                return t -> {
                    throw IndexFault.of(op, type, a, b);
                };
            }
        }
        if (type == IntType.S32) {
            return right instanceof IndexCode.Constant(long b) ? narrow(op, left, b) : narrow(op, left, right);
        }
        return wide(op, left, right);
    }

    /** 32-bit operands and result, held in a long: the exact result of +, - and * always fits that. */
    private static IndexCode narrow(Op op, IndexCode left, IndexCode right) {
        return switch (op) {
            case ADD -> t -> {
                long a = left.value(t);
                long b = right.value(t);
                long r = a + b;
                return (int) r == r ? r : fail(op, IntType.S32, a, b);
            };
            case SUB -> t -> {
                long a = left.value(t);
                long b = right.value(t);
                long r = a - b;
                return (int) r == r ? r : fail(op, IntType.S32, a, b);
            };
            case MUL -> t -> {
                long a = left.value(t);
                long b = right.value(t);
                long r = a * b;
                return (int) r == r ? r : fail(op, IntType.S32, a, b);
            };
            case MIN -> t -> Math.min(left.value(t), right.value(t));
            case MAX -> t -> Math.max(left.value(t), right.value(t));
            default -> general(op, IntType.S32, left, right);
        };
    }

    /** As above with a constant on the right: one call less, and divisions the compiler can take apart. */
    private static IndexCode narrow(Op op, IndexCode left, long b) {
        return switch (op) {
            case ADD -> t -> {
                long a = left.value(t);
                long r = a + b;
                return (int) r == r ? r : fail(op, IntType.S32, a, b);
            };
            case MUL -> t -> {
                long a = left.value(t);
                long r = a * b;
                return (int) r == r ? r : fail(op, IntType.S32, a, b);
            };
            case DIV -> b > 0 ? t -> (int) left.value(t) / (int) b : general(op, IntType.S32, left, new IndexCode.Constant(b));
            case REM -> b > 0 ? t -> (int) left.value(t) % (int) b : general(op, IntType.S32, left, new IndexCode.Constant(b));
            case AND -> t -> left.value(t) & b;
            default -> narrow(op, left, (IndexCode) new IndexCode.Constant(b));
        };
    }

    private static IndexCode wide(Op op, IndexCode left, IndexCode right) {
        return switch (op) {
            case ADD -> t -> {
                long a = left.value(t);
                long b = right.value(t);
                long r = a + b;
                return ((a ^ r) & (b ^ r)) >= 0 ? r : fail(op, IntType.S64, a, b);
            };
            case MUL -> t -> {
                long a = left.value(t);
                long b = right.value(t);
                long r = a * b;
                return Math.multiplyHigh(a, b) == r >> 63 ? r : fail(op, IntType.S64, a, b);
            };
            case MIN -> t -> Math.min(left.value(t), right.value(t));
            case MAX -> t -> Math.max(left.value(t), right.value(t));
            default -> general(op, IntType.S64, left, right);
        };
    }

    private static IndexCode general(Op op, IntType type, IndexCode left, IndexCode right) {
        return t -> {
            long a = left.value(t);
            long b = right.value(t);
            try {
                return Arithmetic.apply(op, type, a, b);
            } catch (ArithmeticException e) {
                return fail(op, type, a, b);
            }
        };
    }

    private static long fail(Op op, IntType type, long a, long b) {
        throw IndexFault.of(op, type, a, b);
    }
}
