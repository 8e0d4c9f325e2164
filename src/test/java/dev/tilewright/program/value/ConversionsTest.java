package dev.tilewright.program.value;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import dev.tilewright.verify.draw.ValueOperands;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every conversion with every rounding against the exact value rounded once by definition. Of 8-bit types all values,
 * of 16-bit types all to nearest even (one in 23 in an ordinary run), of the others special and random ones.
 */
class ConversionsTest {
    private static final int COUNT = Thorough.of(400, 4_000);

    static Stream<ValueType> types() {
        return Stream.of(ValueType.values()).filter(t -> t != ValueType.PRED);
    }

    @ParameterizedTest
    @MethodSource("types")
    void from(ValueType from) {
        long[] some = from.bits() == 8 ? all(from) : ValueOperands.words(from, COUNT, 5, new long[0]);
        int checked = 0;
        for (Conversion c : conversions(from)) {
            LongUnaryOperator f = ValueMath.convert(c);
            long[] words = from.bits() == 16 && c.rounding() == Rounding.NEAREST_EVEN ? all(from) : some;
            for (long a : words) {
                long expected = expected(c, a);
                if (expected != f.applyAsLong(a)) {
                    assertEquals(Long.toHexString(expected), Long.toHexString(f.applyAsLong(a)), c + " of "
                            + Long.toHexString(a));
                }
            }
            checked += words.length;
        }
        System.err.println("from " + from + ": " + checked + " conversions");
    }

    private static List<Conversion> conversions(ValueType from) {
        List<Conversion> all = new ArrayList<>();
        for (ValueType to : ValueType.values()) {
            for (Rounding rounding : Rounding.values()) {
                for (boolean saturate : new boolean[] {false, true}) {
                    Conversion c = new Conversion(from, to, rounding, saturate);
                    if (to != from && ValueMath.has(c)) {
                        all.add(c);
                    }
                }
            }
        }
        return all;
    }

    private static long[] all(ValueType type) {
        return LongStream.range(0, 1L << type.bits()).filter(n -> type.bits() == 8 || Thorough.takes(n, 23))
                .map(type::word).toArray();
    }

    private static long expected(Conversion c, long a) {
        ValueType from = c.from();
        ValueType to = c.to();
        if (!from.isFloat()) {
            BigInteger number = IntegerMathTest.number(from, a);
            return to.isFloat() ? toFloat(c, a, number.signum() < 0, false, false, number.abs(), 0)
                    : c.saturate() ? IntegerMathTest.word(to, clamp(to, number)) : IntegerMathTest.word(to, number);
        }
        FixedPoint format = FixedPoint.of(from);
        long pattern = from == ValueType.TF32 ? a >>> 13 : a;
        boolean negative = format.isNegative(pattern);
        if (from == ValueType.BF16 && to == ValueType.F32) {
            return a << 16;
        }
        boolean nan = format.isNan(pattern);
        boolean infinite = format.isInfinite(pattern);
        if (to.isFloat()) {
            return toFloat(c, a, negative, nan, infinite, nan ? BigInteger.ZERO : format.value(pattern).abs(),
                    format.scale());
        }
        if (nan) {
            return 0;
        }
        BigInteger one = BigInteger.ONE.shiftLeft(format.scale());
        BigInteger[] parts = format.value(pattern).abs().divideAndRemainder(one);
        int half = parts[1].shiftLeft(1).compareTo(one);
        boolean up = parts[1].signum() != 0 && switch (c.rounding()) {
            case TOWARDS_ZERO -> false;
            case DOWN -> negative;
            case UP -> !negative;
            case NEAREST_EVEN -> half > 0 || half == 0 && parts[0].testBit(0);
            case NEAREST_AWAY -> throw new AssertionError(c);
        };
        BigInteger whole = up ? parts[0].add(BigInteger.ONE) : parts[0];
        return IntegerMathTest.word(to, clamp(to, infinite ? (negative ? one.negate() : one)
                : negative ? whole.negate() : whole));
    }

    /** @param scale the magnitude's: see {@link FixedPoint} */
    private static long toFloat(Conversion c, long a, boolean negative, boolean nan, boolean infinite,
            BigInteger magnitude,
            int scale) {
        FixedPoint format = FixedPoint.of(c.to());
        boolean saturate = c.saturate() || c.to().bits() == 8;
        if (c.to() == ValueType.TF32 && nan) {
            return 0x7FFF_FFFFL;
        }
        long pattern;
        if (nan) {
            pattern = format.canonicalNan();
        } else if (infinite) {
            pattern = (negative ? format.signBit() : 0) | format.overflow() - (saturate ? 1 : 0);
        } else {
            pattern = format.withScale(Math.max(scale, format.scale())).nearest(negative,
                    magnitude.shiftLeft(Math.max(scale, format.scale()) - scale), false, c.rounding(), saturate);
        }
        return c.to() == ValueType.TF32 ? pattern << 13 : pattern;
    }

    private static BigInteger clamp(ValueType type, BigInteger number) {
        BigInteger size = BigInteger.ONE.shiftLeft(type.isSigned() ? type.bits() - 1 : type.bits());
        return number.max(type.isSigned() ? size.negate() : BigInteger.ZERO).min(size.subtract(BigInteger.ONE));
    }
}
