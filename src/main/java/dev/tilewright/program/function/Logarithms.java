package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;

/**
 * Logarithms. The argument is 2^e m with m around 1; the logarithm of m is a polynomial in m - 1 (f32), or the series
 * of the inverse hyperbolic tangent of (m - 1) / (m + 1) (f64). What is added to the large part is added last and
 * together, so that there is one rounding of the result's size.
 */
final class Logarithms {
    /** The bits of 2/3 and of the square root of 1/2: where a mantissa begins. */
    private static final int TWO_THIRDS = 0x3F2A_AAAB;
    private static final int ROOT_HALF = 0x3F35_04F3;
    private static final long ROOT_HALF_F64 = 0x3FE6_A09E_667F_3BCDL;

    /** {@code (log(1 + f) - f) / f^2} to 2^-27 of the logarithm, f from -1/3 to 1/3; below over log 2 and log 10. */
    private static final double[] LOG = {-0.5, 0x1.555502p-2, -0x1.fffe9ep-3, 0x1.99d1c6p-3, -0x1.55a710p-3,
        0x1.1ebfbap-3, -0x1.f26060p-4, 0x1.1ed2f4p-3, -0x1.092ee6p-3};
    private static final double[] LOG2 = {-0x1.715476p-1, 0x1.ec7022p-2, -0x1.715378p-2, 0x1.279f8ep-2, -0x1.ece6fep-3,
        0x1.9daf62p-3, -0x1.677e7ep-3, 0x1.9dcc00p-3, -0x1.7e9966p-3};
    private static final double[] LOG10 = {-0x1.bcb7b2p-3, 0x1.287a2ep-3, -0x1.bcb66ap-4, 0x1.63f70ep-4, -0x1.28c1a0p-4,
        0x1.f21fe2p-5, -0x1.b0e098p-5, 0x1.f2418ap-5, -0x1.ccb030p-5};
    /** {@code (2 artanh(s) - 2 s) / s^3} in s^2, to 2^-59 of the logarithm, {@code |s|} up to 0.1716. */
    private static final double[] ARTANH_F64 = {0x1.5555555555564p-1, 0x1.999999998be8cp-2, 0x1.2492493901846p-2,
        0x1.c71c586163ce5p-3, 0x1.746513f482322p-3, 0x1.39bd43e0f39a2p-3, 0x1.2e0472bcd164bp-3};

    static final ValueFunction LOG_F32 = log();
    static final ValueFunction LOG2_F32 = scaledLog("log2_f32", "The logarithm of x to base 2.", LOG2, 0x1.715476p+0,
            0x1.4ae0c0p-26, 1, 0);
    static final ValueFunction LOG10_F32 = scaledLog("log10_f32", "The logarithm of x to base 10.", LOG10,
            0x1.bcb7b2p-2, -0x1.5b235ep-27, 0x1.344p-2, 0x1.3509f8p-18);
    static final ValueFunction LOG_F64 = logF64();

    private Logarithms() { }

    /**
     * A positive finite number as 2^exponent times a number around 1.
     *
     * @param exponent as a float
     * @param fraction that number minus 1, exact
     */
    record Split(Value exponent, Value fraction) {
        /** With mantissas from 2/3 to 4/3. */
        static Split aroundOne(ValueFunction.Lets lets, Value x) {
            return of(FloatKind.F32, lets, x, TWO_THIRDS);
        }

        /** With mantissas from the square root of 1/2 to that of 2. */
        static Split aroundRoot(FloatKind kind, ValueFunction.Lets lets, Value x) {
            return of(kind, lets, x, kind == FloatKind.F32 ? ROOT_HALF : ROOT_HALF_F64);
        }

        private static Split of(FloatKind kind, ValueFunction.Lets lets, Value x, long least) {
            ValueType integer = kind.integer;
            Value isSmall = lets.let("is_small", x.lessThan(Math.scalb(1.0, 1 - kind.bias)));
            Value normal = isSmall.choose(x.times(Math.scalb(1.0, kind.fractionBits)), x);
            Value bits = lets.let("bits", normal.bitCast(integer));
            Value exponent = lets.let("exponent",
                    bits.minus(Value.ofBits(integer, least)).shiftRight(kind.fractionBits));
            Value mantissa = bits.minus(exponent.shiftLeft(kind.fractionBits)).bitCast(kind.type);
            return new Split(
                    lets.let("e", isSmall.choose(exponent.minus(kind.fractionBits), exponent).to(kind.type)),
                    lets.let("f", mantissa.minus(1)));
        }
    }

    private static ValueFunction log() {
        return ValueFunction.of("log_f32", "The natural logarithm of x.", ValueType.F32, (lets, x) -> {
            Split split = Split.aroundOne(lets, x);
            Value f = split.fraction();
            // The first part of log 2 has 15 bits: its multiples are exact.
            Pair sum = Pair.fastSum(lets, split.exponent().times(0x1.62e4p-1), f);
            Value low = split.exponent().fma(Value.f32(0x1.7f7d1cp-20f), sum.low());
            return specials(FloatKind.F32, x,
                    sum.high().plus(f.times(f).fma(FloatKind.F32.polynomial(f, LOG), low)));
        });
    }

    /** With a factor c of the natural logarithm, in two parts, and one of log 2 times c. */
    private static ValueFunction scaledLog(String name, String purpose, double[] polynomial, double high, double low,
            double unitHigh, double unitLow) {
        return ValueFunction.of(name, purpose, ValueType.F32, (lets, x) -> {
            Split split = Split.aroundOne(lets, x);
            Value f = split.fraction();
            Pair first = Pair.product(lets, f, Value.of(ValueType.F32, high));
            Value rest = f.fma(Value.of(ValueType.F32, low), first.low());
            if (unitLow != 0) {
                rest = split.exponent().fma(Value.of(ValueType.F32, unitLow), rest);
            }
            Value whole = unitHigh == 1 ? split.exponent()
                    : lets.let("exponents", split.exponent().times(unitHigh));
            Pair sum = Pair.fastSum(lets, whole, first.high());
            return specials(FloatKind.F32, x, sum.high().plus(
                    f.times(f).fma(FloatKind.F32.polynomial(f, polynomial), sum.low().plus(rest))));
        });
    }

    private static ValueFunction logF64() {
        FloatKind kind = FloatKind.F64;
        return ValueFunction.of("log_f64", "The natural logarithm of x.", kind.type, (lets, x) -> {
            Split split = Split.aroundRoot(kind, lets, x);
            Pair s = Pair.overTwoPlus(lets, split.fraction());
            Value z = lets.let("z", s.high().times(s.high()));
            Pair sum = Pair.fastSum(lets, split.exponent().times(0x1.62e42fefa3800p-1), s.high().plus(s.high()));
            Value low = split.exponent().fma(kind.constant(0x1.ef35793c76730p-45), s.low().plus(s.low()));
            return specials(kind, x, sum.high().plus(sum.low().plus(
                    s.high().times(z).fma(kind.polynomial(z, ARTANH_F64), low))));
        });
    }

    /** Of 0 minus infinity, of what is negative or a NaN the NaN, of infinity itself. */
    private static Value specials(FloatKind kind, Value x, Value result) {
        Value finite = x.lessThan(kind.infinity).choose(result, kind.infinity);
        Value positive = x.greaterThan(0).choose(finite, kind.nan);
        return x.isEqualTo(kind.constant(0)).choose(kind.constant(Double.NEGATIVE_INFINITY), positive);
    }
}
