package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;

/**
 * The error function, near 0 an odd polynomial, from 1 on 1 minus 2 to the power of a polynomial; and the Gaussian
 * error linear unit {@code x P(x)}, P being the normal distribution: near 0 a polynomial, else by {@code P(-t) =
 * e^(-t^2/2) M(t)} with {@code (t + 5/2) M(t)} a polynomial in {@code (t - 5/2) / (t + 5/2)}. The exponent is made of
 * the exact square.
 */
final class ErrorFunctions {
    /** {@code erf(x) / x - 1} in x^2 to 2^-28 and 2^-56, up to 1. */
    private static final double[] NEAR = {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2d16p-4, -0x1.b7fba8p-6, 0x1.541a42p-8,
        -0x1.a4864ep-11, 0x1.4ae2f0p-14};
    private static final double[] NEAR_F64 = {0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b33p-4,
        -0x1.b82ce31284f3bp-6, 0x1.565bcd0dbd922p-8, -0x1.c02db3db498acp-11, 0x1.f9a321e4bc139p-14,
        -0x1.f4d1e4351d241p-17, 0x1.b9df30629982cp-20, -0x1.5f1f4134f49dbp-23, 0x1.f7b9a036e9045p-27,
        -0x1.38ac2bcb75734p-30, 0x1.062774aa42943p-34};
    /** {@code log2(1 - erf(x))}: in x for f32, in x - 3 for f64; erf is then right to 2^-29 and 2^-57. */
    private static final double[] FAR = {-0x1.0b9024p-11, -0x1.a03fe6p+0, -0x1.d76e88p-1, -0x1.30701ap-3, 0x1.01b4eap-5,
        -0x1.15ef2ep-8, 0x1.18ba6ep-12};
    private static final double[] FAR_F64 = {-0x1.eeeb3adffbeb6p+3, -0x1.230546f4c900fp+3, -0x1.619826aeef81ep+0,
        -0x1.5e6438613a02ep-7, 0x1.ffd04ef1c153bp-10, -0x1.73ad492d6d204p-12, 0x1.04b10dc60b6cep-14,
        -0x1.58788cd41f14ep-17, 0x1.9e07675e48e38p-20, -0x1.a4ff93df34031p-23, 0x1.2b4e0df711331p-26,
        0x1.6c3db8e4b139ep-30, -0x1.36da5c5a9a8f2p-30, -0x1.908b7f661363ep-34, -0x1.a5fb31bdea30ep-33,
        0x1.5c8a0f8830baap-35, 0x1.362e4c073923ap-35, 0x1.b413f9403dc68p-37, 0x1.a5ec794c36ab2p-40};
    /** {@code (P(x) - 1/2) / x} in x^2 to 2^-27, up to 1/2. */
    private static final double[] NORMAL = {0x1.988452p-2, -0x1.10578cp-4, 0x1.467b18p-7, -0x1.279186p-10};
    /** {@code (t + 5/2) M(t)} but for its first number's upper part, to 2^-28. */
    private static final double TAIL_HIGH = 0x1.69cee6p-1;
    private static final double[] TAIL = {0x1.7ab0f4p-26, -0x1.bc19cap-2, 0x1.0e4f58p-3, 0x1.2ebb5cp-7, -0x1.0c88aap-6,
        -0x1.a897cep-10, 0x1.4ccdb8p-9, 0x1.825cf4p-11, -0x1.5d2d96p-12, -0x1.cd27f8p-13, 0x1.12260cp-17,
        0x1.982c86p-16};

    static final ValueFunction ERF_F32 = ValueFunction.of("erf_f32", "The error function of x.", ValueType.F32,
            (lets, x) -> {
                Value size = lets.let("size", x.abs());
                Value limited = lets.let("limited", size.min(4));
                Value exponent = lets.let("exponent", FloatKind.F32.polynomial(limited, FAR));
                return erf(FloatKind.F32, lets, x, size, exponent, NEAR);
            });

    static final ValueFunction ERF_F64 = ValueFunction.of("erf_f64", "The error function of x.", ValueType.F64,
            (lets, x) -> {
                Value size = lets.let("size", x.abs());
                Value limited = lets.let("limited", size.min(5.9375).minus(3));
                Value exponent = lets.let("exponent", FloatKind.F64.polynomial(limited, FAR_F64));
                // From 5.9375 on 1 - erf(x) is below a fourth of the last place.
                return erf(FloatKind.F64, lets, x, size, exponent, NEAR_F64);
            });

    static final ValueFunction GELU_F32 = ValueFunction.of("gelu_f32", "x (1 + erf(x / sqrt(2))) / 2.", ValueType.F32,
            (lets, x) -> gelu(FloatKind.F32, lets, x));

    private ErrorFunctions() { }

    private static Value erf(FloatKind kind, ValueFunction.Lets lets, Value x, Value size, Value exponent,
            double[] polynomial) {
        Value z = lets.let("z", size.times(size));
        Value near = size.fma(kind.polynomial(z, polynomial), size);
        FloatKind.Whole n = kind.whole(lets, exponent);
        Value r = lets.let("r", exponent.minus(n.number()));
        Value complement = Exponentials.base2(kind, r).fma(r, kind.one);
        Value beyond = complement.fma(kind.powerOfTwo(n.integer()).negate(), kind.one);
        return kind.unlessNan(x, size.lessThan(1).choose(near, beyond).copySign(x));
    }

    private static Value gelu(FloatKind kind, ValueFunction.Lets lets, Value x) {
        Value size = lets.let("size", x.abs());
        Value t = lets.let("t", size.min(15));
        Value d = lets.let("d", t.plus(2.5));
        Value lost = t.minus(d.minus(2.5));
        Value reciprocal = lets.let("reciprocal", kind.reciprocalOfSmall(d));
        Value u = lets.let("u", t.minus(2.5).times(reciprocal));
        Pair tail = Pair.fastSum(lets, kind.constant(TAIL_HIGH), kind.polynomial(u, TAIL));
        // t / (t + 5/2) with one rounding.
        Value quotient = lets.let("quotient", t.times(reciprocal));
        Value negative = lets.let("negative", quotient.negate());
        Value ratio = lets.let("ratio", negative.fma(lost, negative.fma(d, t)).fma(reciprocal, quotient));
        Pair square = Pair.product(lets, t, t);
        Exponentials.Reduced e = Exponentials.reduce(kind, lets, lets.let("exponent", square.high().times(-0.5)),
                square.low().times(-0.5));
        Pair weight = Pair.product(lets, ratio, tail.high());
        Value rest = ratio.fma(tail.low(), weight.low());
        Value mantissa = weight.high().plus(weight.high().fma(e.growth(), rest));
        Value part = lets.let("part", kind.scaled(lets, mantissa, e.n()));
        Value beyond = x.lessThan(0).choose(part.negate(), x.minus(part));
        Value near = x.times(x.fma(kind.polynomial(square.high(), NORMAL), kind.constant(0.5)));
        return kind.unlessNan(x, size.lessThan(0.5).choose(near, beyond));
    }
}
