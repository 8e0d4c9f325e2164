package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;

/**
 * Powers of e and 2. The argument is split into a whole number n of log 2 and a rest r of at most half of it; e^r is a
 * polynomial with the least greatest relative error (fitted by Remez' exchange, the coefficients then moved by last
 * places until the rounded ones were best); 2^n is a shift.
 */
final class Exponentials {
    /** What {@code (e^r - 1 - r) / r^2} is, to 2^-28 of e^r (f32) and 2^-57 (f64), {@code |r|} up to half of log 2. */
    private static final double[] AFTER_R = {0x1.fffffcp-2, 0x1.555490p-3, 0x1.5558d2p-5, 0x1.123b3ep-7,
        0x1.6a23e8p-10};
    private static final double[] AFTER_R_F64 = {0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.55555555507bfp-5,
        0x1.1111111127e08p-7, 0x1.6c16c1844acbdp-10, 0x1.a01a0129b2f7dp-13, 0x1.a01999ae20cd2p-16,
        0x1.71df262fbac64p-19, 0x1.28adce2bb3aefp-22, 0x1.ad7efcdea0110p-26};
    /** What {@code (2^r - 1) / r} is, to 2^-27 and 2^-56 of 2^r, {@code |r|} up to a half. */
    private static final double[] BASE_2 = {0x1.62e430p-1, 0x1.ebfbdap-3, 0x1.c6af2ap-5, 0x1.3b2e30p-7, 0x1.5f3f92p-10,
        0x1.41fe2cp-13};
    private static final double[] BASE_2_F64 = {0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5a4p-3, 0x1.c6b08d704a002p-5,
        0x1.3b2ab6fba002ep-7, 0x1.5d87fe78ce11bp-10, 0x1.4309130f1e0b5p-13, 0x1.ffcbfba77137fp-17,
        0x1.62bfc6e324a7fp-20, 0x1.b5267f5d45866p-24, 0x1.e61ca4181022fp-28, 0x1.e79a96c9683f4p-32};

    static final ValueFunction EXP_F32 = exp(FloatKind.F32, -105, 89);
    /** Powers to plus and minus as much are normal numbers. */
    static final int NORMAL = 86;
    /** Powers to plus and minus as much are between 2^-60 and 2^60. */
    static final int MODERATE = 41;
    static final ValueFunction EXP_NORMAL_F32 = expNormal();
    static final ValueFunction EXP_F64 = exp(FloatKind.F64, -747, 711);
    static final ValueFunction EXP2_F32 = exp2();
    static final ValueFunction EXPM1_F32 = expm1();

    private Exponentials() { }

    /**
     * An argument reduced: e to its power is {@code 2^n (1 + r * ahead)}.
     *
     * @param r of magnitude up to half of log 2
     */
    record Reduced(FloatKind kind, Value n, Value r, Value ahead) {
        /** {@code e^r}. */
        Value mantissa() {
            return ahead.fma(r, kind.one);
        }

        /** {@code e^r - 1}. */
        Value growth() {
            return ahead.times(r);
        }
    }

    /** @param x named, at most 2^10 in size, no NaN */
    static Reduced reduce(FloatKind kind, ValueFunction.Lets lets, Value x) {
        FloatKind.Whole n = kind.whole(lets, x, kind.log2e);
        // The inner one is exact: a multiple of the smaller last place of both, and smaller than either.
        Value r = n.number().fma(kind.minusLn2Low, n.number().fma(kind.minusLn2High, x));
        return reduced(kind, lets, n, r);
    }

    /** Of {@code x + more}. @param more far smaller than x */
    static Reduced reduce(FloatKind kind, ValueFunction.Lets lets, Value x, Value more) {
        FloatKind.Whole n = kind.whole(lets, x, kind.log2e);
        Value r = n.number().fma(kind.minusLn2High, x).plus(n.number().fma(kind.minusLn2Low, more));
        return reduced(kind, lets, n, r);
    }

    private static Reduced reduced(FloatKind kind, ValueFunction.Lets lets, FloatKind.Whole n, Value rest) {
        Value r = lets.let("r", rest);
        return new Reduced(kind, n.integer(), r, kind.polynomial(r, afterR(kind)).fma(r, kind.one));
    }

    private static double[] afterR(FloatKind kind) {
        return kind == FloatKind.F32 ? AFTER_R : AFTER_R_F64;
    }

    /** {@code (2^r - 1) / r}. @param r from -1/2 to 1/2 */
    static Value base2(FloatKind kind, Value r) {
        return kind.polynomial(r, kind == FloatKind.F32 ? BASE_2 : BASE_2_F64);
    }

    private static ValueFunction exp(FloatKind kind, double least, double greatest) {
        return ValueFunction.of("exp_" + kind.type, "e to the power of x.", kind.type, (lets, x) -> {
            Value within = lets.let("within", x.min(greatest).max(least));
            Reduced e = reduce(kind, lets, within);
            return kind.unlessNan(x, kind.scaled(lets, e.mantissa(), e.n()));
        });
    }

    /** As {@link #EXP_F32}: n is added to the exponent, which rounds nothing. */
    private static ValueFunction expNormal() {
        FloatKind kind = FloatKind.F32;
        return ValueFunction.of("exp_normal_f32", "e to the power of x, of size up to " + NORMAL + ".", kind.type,
                (lets, x) -> {
                    Reduced e = reduce(kind, lets, x);
                    return e.mantissa().bitCast(ValueType.I32).plus(e.n().shiftLeft(kind.fractionBits))
                            .bitCast(kind.type);
                });
    }

    private static ValueFunction exp2() {
        FloatKind kind = FloatKind.F32;
        return ValueFunction.of("exp2_f32", "2 to the power of x.", kind.type, (lets, x) -> {
            Value within = lets.let("within", x.min(129).max(-151));
            FloatKind.Whole n = kind.whole(lets, within);
            Value r = lets.let("r", within.minus(n.number()));
            return kind.unlessNan(x, kind.scaled(lets, base2(kind, r).fma(r, kind.one), n.integer()));
        });
    }

    /** {@code 2^n e^r - 1 = (2^n - 1) + 2^n r + 2^n (e^r - 1 - r)}, added in this order. */
    private static ValueFunction expm1() {
        FloatKind kind = FloatKind.F32;
        return ValueFunction.of("expm1_f32", "e to the power of x, minus 1.", kind.type, (lets, x) -> {
            Value within = lets.let("within", x.min(89).max(-18));
            FloatKind.Whole n = kind.whole(lets, within, kind.log2e);
            Value r = lets.let("r", n.number().fma(kind.minusLn2Low, n.number().fma(kind.minusLn2High, within)));
            Value after = kind.polynomial(r, AFTER_R).times(r.times(r));
            // 2^128 is not there: half of the result is made then.
            Value power = lets.let("power", kind.powerOfTwo(n.integer().min(Value.i32(127))));
            Value sum = lets.let("sum", power.fma(after, power.fma(r, power.minus(1))));
            Value whole = n.integer().greaterThan(127).choose(sum.plus(sum), sum);
            return kind.unlessNan(x, x.abs().lessThan(0x1p-24).choose(x, whole));
        });
    }
}
