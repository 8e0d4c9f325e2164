package dev.tilewright.reference.simt;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import java.util.Arrays;

/**
 * The operators of index expressions on columns. They mean what {@link Arithmetic#apply} says; where that has no value
 * for one of the lanes, they say no, and what they leave is of no use. Loops without a branch, for the compiler to make
 * vectors of.
 */
final class LaneArithmetic {

    private LaneArithmetic() { }

    /** Of two numbers: {@link Lanes#same} is the result, or the lanes go apart. */
    static void apply(Expr.Op op, IntType type, long a, long b, Lanes lanes) {
        try {
            lanes.same = Arithmetic.apply(op, type, a, b);
        } catch (ArithmeticException e) {
            lanes.goApart();
        }
    }

    /** Of a column and a column. */
    static boolean apply(Expr.Op op, IntType type, long[] a, long[] b, long[] to, int from, int until) {
        long bad = 0;
        switch (op) {
            case ADD -> {
                for (int i = from; i < until; i++) {
                    long r = a[i] + b[i];
                    bad |= (a[i] ^ r) & (b[i] ^ r);
                    to[i] = r;
                }
            }
            case SUB -> {
                for (int i = from; i < until; i++) {
                    long r = a[i] - b[i];
                    bad |= (a[i] ^ b[i]) & (a[i] ^ r);
                    to[i] = r;
                }
            }
            case MIN -> {
                for (int i = from; i < until; i++) {
                    to[i] = Math.min(a[i], b[i]);
                }
            }
            case MAX -> {
                for (int i = from; i < until; i++) {
                    to[i] = Math.max(a[i], b[i]);
                }
            }
            case AND -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] & b[i];
                }
            }
            case OR -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] | b[i];
                }
            }
            case XOR -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] ^ b[i];
                }
            }
            case MUL, DIV, REM, SHL, SHR -> {
                return each(op, type, a, b, to, from, until);
            }
        }
        return op != Expr.Op.ADD && op != Expr.Op.SUB || fit(bad, type, to, from, until);
    }

    /** Of a column and a number. */
    static boolean apply(Expr.Op op, IntType type, long[] a, long b, long[] to, int from, int until) {
        long bad = 0;
        switch (op) {
            case ADD -> {
                for (int i = from; i < until; i++) {
                    long r = a[i] + b;
                    bad |= (a[i] ^ r) & (b ^ r);
                    to[i] = r;
                }
            }
            case SUB -> {
                for (int i = from; i < until; i++) {
                    long r = a[i] - b;
                    bad |= (a[i] ^ b) & (a[i] ^ r);
                    to[i] = r;
                }
            }
            case MUL -> {
                if (b != (int) b || !areSmall(a, from, until)) {
                    return each(op, type, a, b, to, from, until);
                }
                for (int i = from; i < until; i++) {
                    to[i] = a[i] * b;
                }
            }
            case DIV, REM -> {
                if (b <= 0 || b != (int) b || !haveThirtyOneBits(a, from, until)) {
                    return each(op, type, a, b, to, from, until);
                }
                divide(op, a, b, to, from, until);
            }
            case SHR -> {
                if (b < 0 || b >= (type == IntType.S32 ? Integer.SIZE : Long.SIZE)) {
                    return false;
                }
                for (int i = from; i < until; i++) {
                    to[i] = a[i] >> b;
                }
            }
            case SHL -> {
                return each(op, type, a, b, to, from, until);
            }
            case AND -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] & b;
                }
            }
            case OR -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] | b;
                }
            }
            case XOR -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] ^ b;
                }
            }
            case MIN -> {
                for (int i = from; i < until; i++) {
                    to[i] = Math.min(a[i], b);
                }
            }
            case MAX -> {
                for (int i = from; i < until; i++) {
                    to[i] = Math.max(a[i], b);
                }
            }
        }
        return op != Expr.Op.ADD && op != Expr.Op.SUB && op != Expr.Op.MUL || fit(bad, type, to, from, until);
    }

    /** Of a number and a column. */
    static boolean apply(Expr.Op op, IntType type, long a, long[] b, long[] to, int from, int until) {
        return switch (op) {
            case ADD, MUL, MIN, MAX, AND, OR, XOR -> apply(op, type, b, a, to, from, until);
            case SUB, DIV, REM, SHL, SHR -> {
                Arrays.fill(to, from, until, a);
                yield each(op, type, to, b, to, from, until);
            }
        };
    }

    /**
     * By a positive number of 32 bits, of numbers that are not negative and have 31: a multiplication by its inverse.
     */
    private static void divide(Expr.Op op, long[] a, long b, long[] to, int from, int until) {
        if ((b & b - 1) == 0) {
            shift(op, a, Long.numberOfTrailingZeros(b), to, from, until);
            return;
        }
        // With l bits of b - 1, (2^(31+l) / b + 1) * a / 2^(31+l) is exact for a below 2^31 (Granlund and Montgomery,
        // "Division by invariant integers using multiplication", 1994).
        int shift = 31 + Long.SIZE - Long.numberOfLeadingZeros(b - 1);
        long inverse = (1L << shift) / b + 1;
        if (op == Expr.Op.DIV) {
            for (int i = from; i < until; i++) {
                to[i] = a[i] * inverse >>> shift;
            }
        } else {
            for (int i = from; i < until; i++) {
                to[i] = a[i] - (a[i] * inverse >>> shift) * b;
            }
        }
    }

    /** By a power of two. */
    private static void shift(Expr.Op op, long[] a, int distance, long[] to, int from, int until) {
        if (op == Expr.Op.DIV) {
            for (int i = from; i < until; i++) {
                to[i] = a[i] >> distance;
            }
        } else {
            long mask = (1L << distance) - 1;
            for (int i = from; i < until; i++) {
                to[i] = a[i] & mask;
            }
        }
    }

    private static boolean each(Expr.Op op, IntType type, long[] a, long b, long[] to, int from, int until) {
        try {
            for (int i = from; i < until; i++) {
                to[i] = Arithmetic.apply(op, type, a[i], b);
            }
            return true;
        } catch (ArithmeticException e) {
            return false;
        }
    }

    private static boolean each(Expr.Op op, IntType type, long[] a, long[] b, long[] to, int from, int until) {
        try {
            for (int i = from; i < until; i++) {
                to[i] = Arithmetic.apply(op, type, a[i], b[i]);
            }
            return true;
        } catch (ArithmeticException e) {
            return false;
        }
    }

    /** Whether all fit 32 bits. */
    static boolean areSmall(long[] a, int from, int until) {
        long wide = 0;
        for (int i = from; i < until; i++) {
            wide |= a[i] ^ (int) a[i];
        }
        return wide == 0;
    }

    /** Whether all are at least 0 and fit 31 bits. */
    private static boolean haveThirtyOneBits(long[] a, int from, int until) {
        long bits = 0;
        for (int i = from; i < until; i++) {
            bits |= a[i];
        }
        return bits >>> 31 == 0;
    }

    /** @param bad negative where a result did not fit 64 bits */
    private static boolean fit(long bad, IntType type, long[] to, int from, int until) {
        return bad >= 0 && (type != IntType.S32 || areSmall(to, from, until));
    }

    /** Whether the relation holds, as 1 or 0. */
    static void compare(Expr.Relation relation, long[] a, long[] b, long[] to, int from, int until) {
        switch (relation) {
            case EQ -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] == b[i] ? 1 : 0;
                }
            }
            case NE -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] != b[i] ? 1 : 0;
                }
            }
            case LT -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] < b[i] ? 1 : 0;
                }
            }
            case LE -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] <= b[i] ? 1 : 0;
                }
            }
            case GT -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] > b[i] ? 1 : 0;
                }
            }
            case GE -> {
                for (int i = from; i < until; i++) {
                    to[i] = a[i] >= b[i] ? 1 : 0;
                }
            }
        }
    }
}
