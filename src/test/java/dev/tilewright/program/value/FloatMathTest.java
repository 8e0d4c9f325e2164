package dev.tilewright.program.value;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import dev.tilewright.verify.draw.ValueOperands;
import java.math.BigInteger;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Arithmetic in floats against the exact result, rounded once by the definition of rounding: whole numbers of a tiny
 * unit ({@link FixedPoint}), no floating point. Of one 16-bit operand all values.
 */
class FloatMathTest {
    private static final int COUNT = Thorough.of(2_000, 20_000);

    /** An exact result: of a sign and a magnitude in units, and whether something below the unit is missing. */
    private record Exact(boolean negative, BigInteger magnitude, boolean below) {
        static Exact of(BigInteger value, boolean negativeZero) {
            return new Exact(value.signum() < 0 || value.signum() == 0 && negativeZero, value.abs(), false);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16", "F32", "F64"})
    void oneOperand(ValueType type) {
        FixedPoint format = FixedPoint.of(type);
        long[] words = type.bits() == 16 ? all16() : ValueOperands.words(type, COUNT, 7, new long[0]);
        for (UnaryOp op : UnaryOp.values()) {
            // FixedPowersTest has the one that is no rounded result.
            if (ValueMath.has(op, type) && op != UnaryOp.EXP2_FIXED) {
                LongUnaryOperator f = ValueMath.unary(op, type);
                for (long a : words) {
                    assertResult(expected(op, format, a), f.applyAsLong(a), op, type, a, 0, 0);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16", "F32", "F64"})
    void twoOperands(ValueType type) {
        FixedPoint format = FixedPoint.of(type);
        int count = type == ValueType.F64 ? COUNT : 4 * COUNT;
        long[] as = ValueOperands.words(type, count, 8, new long[0]);
        long[] bs = ValueOperands.words(type, count, 9, as);
        for (BinaryOp op : BinaryOp.values()) {
            if (ValueMath.has(op, type)) {
                LongBinaryOperator f = ValueMath.binary(op, type);
                for (int i = 0; i < count; i++) {
                    assertResult(expected(op, format, as[i], bs[i]), f.applyAsLong(as[i], bs[i]), op, type, as[i],
                            bs[i],
                            0);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16", "F32", "F64"})
    void fusedMultiplyAdd(ValueType type) {
        FixedPoint format = FixedPoint.of(type);
        LongTernaryOperator f = ValueMath.fma(type);
        int count = type == ValueType.F64 ? 2 * COUNT : 10 * COUNT;
        long[] as = ValueOperands.words(type, count, 10, new long[0]);
        long[] bs = ValueOperands.words(type, count, 11, as);
        long[] cs = ValueOperands.words(type, count, 12, bs);
        LongBinaryOperator product = ValueMath.binary(BinaryOp.MUL, type);
        for (int i = 0; i < count; i++) {
            // Every third nearly cancels.
            long c = i % 3 == 0 ? type.word((product.applyAsLong(as[i], bs[i]) ^ format.signBit()) + i / 3 % 5 - 2)
                    : cs[i];
            assertResult(expectedFma(format, as[i], bs[i], c), f.applyAsLong(as[i], bs[i], c), "fma", type, as[i],
                    bs[i],
                    c);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16", "F32", "F64"})
    void comparisons(ValueType type) {
        FixedPoint format = FixedPoint.of(type);
        long[] as = ValueOperands.words(type, 4 * COUNT, 13, new long[0]);
        long[] bs = ValueOperands.words(type, 4 * COUNT, 14, as);
        for (Comparison comparison : Comparison.values()) {
            LongBinaryPredicate f = ValueMath.compare(comparison, type);
            for (int i = 0; i < as.length; i++) {
                boolean ordered = !format.isNan(as[i]) && !format.isNan(bs[i]);
                // The pattern of infinity is in its place among the values.
                int order = ordered ? format.value(as[i]).compareTo(format.value(bs[i])) : 0;
                boolean expected = switch (comparison) {
                    case EQ -> ordered && order == 0;
                    case NE -> !ordered || order != 0;
                    case LT -> ordered && order < 0;
                    case LE -> ordered && order <= 0;
                    case GT -> ordered && order > 0;
                    case GE -> ordered && order >= 0;
                    case ORDERED -> ordered;
                    case UNORDERED -> !ordered;
                };
                assertEquals(expected, f.test(as[i], bs[i]), comparison + " of " + Long.toHexString(as[i]) + " and "
                        + Long.toHexString(bs[i]));
            }
        }
    }

    /** All of 16 bits; in an ordinary run a quarter of them, another one each time. */
    private static long[] all16() {
        return LongStream.range(0, 1 << 16).filter(word -> Thorough.takes(word, 4)).toArray();
    }

    private static void assertResult(long expected, long result, Object op, ValueType type, long a, long b, long c) {
        if (expected != result) {
            assertEquals(Long.toHexString(expected), Long.toHexString(result), op + " of " + type + " "
                    + Long.toHexString(a) + ", " + Long.toHexString(b) + ", " + Long.toHexString(c));
        }
    }

    private static long expected(UnaryOp op, FixedPoint format, long a) {
        boolean negative = format.isNegative(a);
        switch (op) {
            case NEGATE -> {
                return a ^ format.signBit();
            }
            case ABS -> {
                return a & ~format.signBit();
            }
            default -> {
            }
        }
        if (format.isNan(a)) {
            return format.canonicalNan();
        }
        BigInteger value = format.value(a);
        boolean zero = value.signum() == 0;
        long sign = negative ? format.signBit() : 0;
        return switch (op) {
            case SQRT -> {
                if (zero || format.isInfinite(a) && !negative) {
                    yield a;
                }
                if (negative) {
                    yield format.canonicalNan();
                }
                BigInteger[] root = value.shiftLeft(format.scale()).sqrtAndRemainder();
                yield round(format, new Exact(false, root[0], root[1].signum() != 0));
            }
            case RECIPROCAL -> {
                if (zero) {
                    yield sign | format.overflow();
                }
                if (format.isInfinite(a)) {
                    yield sign;
                }
                BigInteger[] quotient = BigInteger.ONE.shiftLeft(2 * format.scale()).divideAndRemainder(value.abs());
                yield round(format, new Exact(negative, quotient[0], quotient[1].signum() != 0));
            }
            case FLOOR, CEIL, TRUNCATE, ROUND_EVEN -> {
                if (format.isInfinite(a)) {
                    yield a;
                }
                BigInteger one = BigInteger.ONE.shiftLeft(format.scale());
                BigInteger[] parts = value.abs().divideAndRemainder(one);
                int half = parts[1].shiftLeft(1).compareTo(one);
                boolean up = parts[1].signum() != 0 && switch (op) {
                    case FLOOR -> negative;
                    case CEIL -> !negative;
                    case TRUNCATE -> false;
                    default -> half > 0 || half == 0 && parts[0].testBit(0);
                };
                BigInteger whole = up ? parts[0].add(BigInteger.ONE) : parts[0];
                yield round(format, new Exact(negative, whole.shiftLeft(format.scale()), false));
            }
            default -> throw new AssertionError(op);
        };
    }

    private static long expected(BinaryOp op, FixedPoint format, long a, long b) {
        long sign = (a ^ b) & format.signBit();
        boolean nan = format.isNan(a) || format.isNan(b);
        switch (op) {
            case COPY_SIGN -> {
                return a & ~format.signBit() | b & format.signBit();
            }
            case MIN, MAX, MIN_NAN, MAX_NAN -> {
                return extreme(op, format, a, b);
            }
            default -> {
            }
        }
        if (nan) {
            return format.canonicalNan();
        }
        boolean endlessA = format.isInfinite(a);
        boolean endlessB = format.isInfinite(b);
        BigInteger x = format.value(a);
        BigInteger y = format.value(b);
        return switch (op) {
            case ADD -> sum(format, a, b, x, y);
            case SUB -> sum(format, a, b ^ format.signBit(), x, y.negate());
            case MUL -> endlessA || endlessB
                    ? x.signum() == 0 || y.signum() == 0 ? format.canonicalNan() : sign | format.overflow()
                    : round(format, scaled(x.multiply(y), format, sign != 0));
            case DIV -> {
                if (endlessA) {
                    yield endlessB ? format.canonicalNan() : sign | format.overflow();
                }
                if (endlessB) {
                    yield sign;
                }
                if (y.signum() == 0) {
                    yield x.signum() == 0 ? format.canonicalNan() : sign | format.overflow();
                }
                BigInteger[] quotient = x.abs().shiftLeft(format.scale()).divideAndRemainder(y.abs());
                yield round(format, new Exact(sign != 0, quotient[0], quotient[1].signum() != 0));
            }
            case REM -> endlessA || y.signum() == 0 ? format.canonicalNan() : endlessB ? a
                    : round(format, Exact.of(x.remainder(y), format.isNegative(a)));
            default -> throw new AssertionError(op);
        };
    }

    /** Numbers in the order of their values, -0 before 0: that of their patterns as sign and magnitude. */
    private static long extreme(BinaryOp op, FixedPoint format, long a, long b) {
        boolean propagates = op == BinaryOp.MIN_NAN || op == BinaryOp.MAX_NAN;
        if (format.isNan(a) || format.isNan(b)) {
            return propagates || format.isNan(a) && format.isNan(b) ? format.canonicalNan() : format.isNan(a) ? b : a;
        }
        BigInteger keyA = BigInteger.valueOf(a & ~format.signBit()).multiply(BigInteger.TWO).add(BigInteger.ONE);
        BigInteger keyB = BigInteger.valueOf(b & ~format.signBit()).multiply(BigInteger.TWO).add(BigInteger.ONE);
        int order = (format.isNegative(a) ? keyA.negate() : keyA).compareTo(format.isNegative(b) ? keyB.negate()
                : keyB);
        return (op == BinaryOp.MIN || op == BinaryOp.MIN_NAN) == order < 0 ? a : b;
    }

    private static long sum(FixedPoint format, long a, long b, BigInteger x, BigInteger y) {
        boolean negativeA = format.isNegative(a);
        boolean negativeB = format.isNegative(b);
        if (format.isInfinite(a)) {
            return format.isInfinite(b) && negativeA != negativeB ? format.canonicalNan() : a;
        }
        return format.isInfinite(b) ? b : round(format, Exact.of(x.add(y), negativeA && negativeB));
    }

    private static long expectedFma(FixedPoint format, long a, long b, long c) {
        boolean negative = format.isNegative(a) != format.isNegative(b);
        if (format.isNan(a) || format.isNan(b) || format.isNan(c)) {
            return format.canonicalNan();
        }
        BigInteger x = format.value(a);
        BigInteger y = format.value(b);
        if (format.isInfinite(a) || format.isInfinite(b)) {
            return x.signum() == 0 || y.signum() == 0 || format.isInfinite(c) && format.isNegative(c) != negative
                    ? format.canonicalNan() : (negative ? format.signBit() : 0) | format.overflow();
        }
        if (format.isInfinite(c)) {
            return c;
        }
        BigInteger sum = x.multiply(y).add(format.value(c).shiftLeft(format.scale()));
        return round(format, scaled(sum, format, negative && format.isNegative(c)));
    }

    /** Of a value in units of the scale's square. */
    private static Exact scaled(BigInteger value, FixedPoint format, boolean negativeZero) {
        BigInteger[] parts = value.abs().divideAndRemainder(BigInteger.ONE.shiftLeft(format.scale()));
        return new Exact(value.signum() < 0 || value.signum() == 0 && negativeZero, parts[0], parts[1].signum() != 0);
    }

    private static long round(FixedPoint format, Exact exact) {
        return format.nearest(exact.negative, exact.magnitude, exact.below, Rounding.NEAREST_EVEN, false);
    }
}
