package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;

/**
 * One over the square root, and powers. The power is 2 to {@code y log2(x)}, with the logarithm to some 10 bits more
 * than the result has, as a pair: e plus a series of the inverse hyperbolic tangent, whose first terms are pairs.
 */
final class Powers {
    /** {@code 2 / log(2)}, and a third and a fifth of it, in two parts. */
    private static final Pair FIRST = Pair.of(FloatKind.F32, 0x1.715476p+1, 0x1.4ae0c0p-25);
    private static final Pair THIRD = Pair.of(FloatKind.F32, 0x1.ec709ep-1, -0x1.e2fe02p-28);
    private static final Pair FIRST_F64 = Pair.of(FloatKind.F64, 0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55);
    private static final Pair THIRD_F64 = Pair.of(FloatKind.F64, 0x1.ec709dc3a03fdp-1, 0x1.d27f05548af0cp-55);
    private static final Pair FIFTH_F64 = Pair.of(FloatKind.F64, 0x1.2776c50ef9bfep-1, 0x1.e4b29ccc535d4p-55);
    /** The terms of the series after those, to 2^-35 and 2^-62 of the sum. */
    private static final double[] SERIES = {0x1.2776d8p-1, 0x1.a5e0d4p-2, 0x1.56e604p-2};
    private static final double[] SERIES_F64 = {0x1.a61762a7ad6cfp-2, 0x1.484b13dbd7342p-2, 0x1.0c9a7f2f070c0p-2,
        0x1.c694a3ee7a0bbp-3, 0x1.88c2e3c31c242p-3, 0x1.7b64d6fde46a1p-3};

    static final ValueFunction RSQRT_F32 = rsqrt(FloatKind.F32, 64);
    static final ValueFunction RSQRT_F64 = rsqrt(FloatKind.F64, 512);
    static final ValueFunction POW_F32 = pow(FloatKind.F32, 200, SERIES, THIRD, FIRST);
    static final ValueFunction POW_F64 = pow(FloatKind.F64, 1400, SERIES_F64, FIFTH_F64, THIRD_F64, FIRST_F64);

    private Powers() { }

    /**
     * With s near the root and y near 1 / s, both rounded: {@code 1 / s = y (1 + (1 - s y))} and
     * {@code 1 / root = 1 / s - (x - s^2) / (2 s^3)}, of which both brackets are exact.
     *
     * @param power of two by which arguments near underflow are scaled, even
     */
    private static ValueFunction rsqrt(FloatKind kind, int power) {
        return ValueFunction.of("rsqrt_" + kind.type, "One over the square root of x.", kind.type, (lets, x) -> {
            Value isSmall = lets.let("is_small", x.lessThan(Math.scalb(1.0, -power)));
            Value scaled = lets.let("scaled", isSmall.choose(x.times(Math.scalb(1.0, power)), x));
            Value root = lets.let("root", scaled.sqrt());
            Value y = lets.let("y", root.reciprocal());
            Value negative = lets.let("negative", root.negate());
            Value offRoot = negative.fma(root, scaled);
            Value offReciprocal = negative.fma(y, kind.one);
            Value correction = offRoot.times(-0.5).times(y).fma(y, offReciprocal);
            Value result = lets.let("result", y.fma(correction, y));
            Value back = isSmall.choose(result.times(Math.scalb(1.0, power / 2)), result);
            Value finite = x.lessThan(kind.infinity).choose(back, kind.constant(0));
            Value positive = x.greaterThan(0).choose(finite, kind.nan);
            return x.isEqualTo(kind.constant(0)).choose(kind.infinity.copySign(x), positive);
        });
    }

    /**
     * @param far an exponent of 2 from which on the result is 0 or infinite
     * @param series coefficients of the terms that single floats do for
     * @param terms the coefficients before them, the last first
     */
    private static ValueFunction pow(FloatKind kind, double far, double[] series, Pair... terms) {
        return ValueFunction.of("pow_" + kind.type, "x to the power of y.", kind.type, kind.type, (lets, x, y) -> {
            Value size = lets.let("size", x.abs());
            Logarithms.Split split = Logarithms.Split.aroundRoot(kind, lets, size);
            Pair s = Pair.overTwoPlus(lets, split.fraction());
            Pair z = Pair.product(lets, s.high(), s.high());
            z = new Pair(z.high(), lets.let("z_low", s.high().plus(s.high()).fma(s.low(), z.low())));
            Pair sum = new Pair(z.high().times(kind.polynomial(z.high(), series)), kind.constant(0));
            for (int i = 0; i < terms.length; i++) {
                sum = (i == 0 ? sum : z.times(lets, sum)).addedTo(lets, terms[i]);
            }
            Pair logarithm = s.times(lets, sum).addedTo(lets, new Pair(split.exponent(), kind.constant(0)));
            logarithm = Pair.fastSum(lets, logarithm.high(), logarithm.low());
            Value infinite = size.isEqualTo(kind.infinity).choose(kind.infinity, logarithm.high());
            Value high = lets.let("log_high", size.isEqualTo(kind.constant(0)).choose(
                    kind.constant(Double.NEGATIVE_INFINITY), infinite));
            Pair product = Pair.product(lets, y, high);
            Value exponent = lets.let("exponent", product.high().min(far).max(-far));
            // Beyond, the rest may be infinity minus infinity.
            Value rest = lets.let("exponent_rest", product.high().abs().lessThan(far).choose(
                    y.fma(logarithm.low(), product.low()), kind.constant(0)));
            Value result = kind.unlessNan(x, kind.unlessNan(y,
                    signed(kind, lets, x, y, size, power(kind, lets, exponent, rest))));
            return x.isEqualTo(kind.one).or(y.isEqualTo(kind.constant(0))).choose(kind.one, result);
        });
    }

    /** 2 to the power of a sum. */
    private static Value power(FloatKind kind, ValueFunction.Lets lets, Value exponent, Value rest) {
        FloatKind.Whole n = kind.whole(lets, exponent);
        Pair r = Pair.fastSum(lets, exponent.minus(n.number()), rest);
        Value growth = Exponentials.base2(kind, r.high()).fma(r.high(), r.low().times(
                kind.minusLn2High.negate()));
        return kind.scaled(lets, growth.plus(kind.one), n.integer());
    }

    /** Odd powers have the sign of x; others of a negative number are none, unless that is infinite. */
    private static Value signed(FloatKind kind, ValueFunction.Lets lets, Value x, Value y, Value size, Value power) {
        Value magnitude = lets.let("magnitude", size.isEqualTo(kind.one).choose(kind.one, power));
        Value isWhole = lets.let("is_whole", y.floor().isEqualTo(y));
        Value half = lets.let("half_y", y.times(0.5));
        Value isOdd = isWhole.and(half.floor().isNotEqualTo(half));
        Value signed = isOdd.choose(magnitude.copySign(x), magnitude);
        Value isNone = x.lessThan(0).and(isWhole.not()).and(size.lessThan(kind.infinity));
        return isNone.choose(kind.nan, signed);
    }
}
