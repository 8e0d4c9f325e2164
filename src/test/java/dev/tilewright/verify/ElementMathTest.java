package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.SmallFloat;
import dev.tilewright.program.ElementStep;
import java.math.BigDecimal;
import java.math.BigInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Element steps against exact arithmetic done in other ways. */
class ElementMathTest {

    @Property
    void integersWrapAround(@ForAll("integers") ElementType type, @ForAll long a, @ForAll long s) {
        BigInteger modulus = BigInteger.ONE.shiftLeft(8 * type.bytes());
        BigInteger product = BigInteger.valueOf(a).multiply(BigInteger.valueOf(s)).mod(modulus);
        BigInteger sum = BigInteger.valueOf(a).add(BigInteger.valueOf(s)).mod(modulus);
        assertEquals(product.longValue(), ElementMath.apply(ElementStep.SCALE, type, a, s));
        assertEquals(sum.longValue(), ElementMath.apply(ElementStep.ADD, type, a, s));
    }

    /** A double holds the product of two floats exactly, and their sum well enough that rounding twice is harmless. */
    @Property(tries = 1250)
    void binary32RoundsOnce(@ForAll("f32") int a, @ForAll("f32") int s) {
        double x = Float.intBitsToFloat(a);
        double y = Float.intBitsToFloat(s);
        assertEquals(f32Bits(x * y), ElementMath.apply(ElementStep.SCALE, ElementType.F32, a, s));
        assertEquals(f32Bits(x + y), ElementMath.apply(ElementStep.ADD, ElementType.F32, a, s));
    }

    @Property(tries = 500)
    void binary16GoesThroughBinary32(@ForAll short a, @ForAll("f32") int s) {
        checkSmall(SmallFloat.F16, ElementType.F16, a & 0xFFFF, s);
    }

    @Property(tries = 500)
    void bfloat16GoesThroughBinary32(@ForAll short a, @ForAll("f32") int s) {
        checkSmall(SmallFloat.BF16, ElementType.BF16, a & 0xFFFF, s);
    }

    private static void checkSmall(SmallFloat format, ElementType type, int a, int s) {
        double x = format.value(a);
        double y = Float.intBitsToFloat(s);
        assertEquals(format.nearest((float) (x * y)), ElementMath.apply(ElementStep.SCALE, type, a, s));
        assertEquals(format.nearest((float) (x + y)), ElementMath.apply(ElementStep.ADD, type, a, s));
    }

    @Test
    void everySmallFloatTimesOneIsItself() {
        int one = Float.floatToRawIntBits(1);
        for (int bits = 0; bits < 1 << 16; bits++) {
            long f16 = Double.isNaN(SmallFloat.F16.value(bits)) ? 0x7FFF : bits;
            long bf16 = Double.isNaN(SmallFloat.BF16.value(bits)) ? 0x7FFF : bits;
            assertEquals(f16, ElementMath.apply(ElementStep.SCALE, ElementType.F16, bits, one));
            assertEquals(bf16, ElementMath.apply(ElementStep.SCALE, ElementType.BF16, bits, one));
        }
    }

    @Property(tries = 500)
    void binary64RoundsTheExactResult(@ForAll("f64") long a, @ForAll("f64") long s) {
        double x = Double.longBitsToDouble(a);
        double y = Double.longBitsToDouble(s);
        assertEquals(f64Bits(product(x, y)), ElementMath.apply(ElementStep.SCALE, ElementType.F64, a, s));
        assertEquals(f64Bits(sum(x, y)), ElementMath.apply(ElementStep.ADD, ElementType.F64, a, s));
    }

    private static double product(double x, double y) {
        if (!Double.isFinite(x) || !Double.isFinite(y)) {
            return x * y;
        }
        double magnitude = new BigDecimal(x).multiply(new BigDecimal(y)).abs().doubleValue();
        return Math.copySign(magnitude, Math.copySign(1, x) * Math.copySign(1, y));
    }

    private static double sum(double x, double y) {
        if (!Double.isFinite(x) || !Double.isFinite(y)) {
            return x + y;
        }
        BigDecimal exact = new BigDecimal(x).add(new BigDecimal(y));
        boolean bothNegativeZero = x == 0 && y == 0 && 1 / x < 0 && 1 / y < 0;
        return exact.signum() == 0 ? bothNegativeZero ? -0.0 : 0.0 : exact.doubleValue();
    }

    @Property
    void copyKeepsEveryBitOfTheElement(@ForAll ElementType type, @ForAll long bits, @ForAll long scalar) {
        long mask = type.bytes() == 8 ? -1L : (1L << 8 * type.bytes()) - 1;
        assertEquals(bits & mask, ElementMath.apply(ElementStep.COPY, type, bits, scalar));
    }

    @Test
    void nanResultsAreOneNan() {
        long inf = Float.floatToRawIntBits(Float.POSITIVE_INFINITY);
        assertEquals(0x7FFF, ElementMath.apply(ElementStep.SCALE, ElementType.F16, 0, inf));
        assertEquals(0x7FFF, ElementMath.apply(ElementStep.ADD, ElementType.BF16, 0xFF81, 0));
        assertEquals(0x7FFF_FFFFL, ElementMath.apply(ElementStep.SCALE, ElementType.F32, 0x8000_0000L, inf));
        assertEquals(Long.MAX_VALUE, ElementMath.apply(ElementStep.ADD, ElementType.F64,
                Double.doubleToRawLongBits(Double.POSITIVE_INFINITY),
                Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY)));
    }

    private static long f32Bits(double exact) {
        return Double.isNaN(exact) ? 0x7FFF_FFFFL : Float.floatToRawIntBits((float) exact) & 0xFFFF_FFFFL;
    }

    private static long f64Bits(double value) {
        return Double.isNaN(value) ? Long.MAX_VALUE : Double.doubleToRawLongBits(value);
    }

    @Provide
    Arbitrary<ElementType> integers() {
        return Arbitraries.of(ElementType.values()).filter(t -> !t.isFloat());
    }

    /** All bit patterns, those near the ends of the exponent range and near 1 more often. */
    @Provide
    Arbitrary<Integer> f32() {
        Arbitrary<Integer> exponent = Arbitraries.of(0, 1, 2, 30, 103, 112, 126, 127, 128, 142, 143, 200, 253, 254,
                255);
        Arbitrary<Integer> fraction = Arbitraries.integers().between(0, 0x7F_FFFF);
        Arbitrary<Integer> chosen = Combinators.combine(exponent, fraction, Arbitraries.of(0, 1))
                .as((e, f, sign) -> sign << 31 | e << 23 | f);
        return Arbitraries.oneOf(Arbitraries.integers(), chosen);
    }

    @Provide
    Arbitrary<Long> f64() {
        Arbitrary<Integer> exponent = Arbitraries.of(0, 1, 2, 500, 511, 512, 971, 1022, 1023, 1024, 1500, 2045, 2046,
                2047);
        Arbitrary<Long> fraction = Arbitraries.longs().between(0, (1L << 52) - 1);
        Arbitrary<Long> chosen = Combinators.combine(exponent, fraction, Arbitraries.of(0L, 1L))
                .as((e, f, sign) -> sign << 63 | (long) e << 52 | f);
        return Arbitraries.oneOf(Arbitraries.longs(), chosen);
    }
}
