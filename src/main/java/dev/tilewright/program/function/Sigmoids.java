package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;

/**
 * The logistic function {@code s(x) = 1 / (1 + e^-x)} and what is x times one. With {@code e^-|x| = 2^n p} it is {@code
 * 1 / (1 + 2^n p)} from 0 on and {@code 2^n p / (1 + 2^n p)} below, where 2^n comes last, so that nothing underflows
 * before the result does. The quotient takes the rests of its numerator and its denominator along.
 */
final class Sigmoids {
    private static final FloatKind KIND = FloatKind.F32;
    /** 2 sqrt(2 / pi), and 0.044715 times it, each in two parts. */
    private static final Pair LINEAR = Pair.of(KIND, 0x1.988454p+0, -0x1.857936p-25);
    private static final Pair CUBIC = Pair.of(KIND, 0x1.2444f2p-4, 0x1.49b16ap-29);

    /** 2^n is 2^(n + 96) times 2^-96, of which the former is a normal number for n down to -222. */
    private static final int DOWN = 96;

    static final ValueFunction SIGMOID_F32 = ValueFunction.of("sigmoid_f32", "1 / (1 + e^-x).", ValueType.F32,
            (lets, x) -> {
                Value size = lets.let("size", x.abs().min(105));
                return KIND.unlessNan(x, logistic(lets, x, null,
                        Exponentials.reduce(KIND, lets, lets.let("minus", size.negate()))));
            });

    static final ValueFunction SILU_F32 = ValueFunction.of("silu_f32", "x / (1 + e^-x).", ValueType.F32, (lets, x) -> {
        Value size = lets.let("size", x.abs().min(110));
        return logistic(lets, x, x.max(-110), Exponentials.reduce(KIND, lets, lets.let("minus", size.negate())));
    });

    /** Sizes of arguments up to which 2^n needs no bounds, and the result is no small number where n is not 0. */
    static final int NEAR = 68;
    static final ValueFunction SILU_NEAR_F32 = ValueFunction.of("silu_near_f32", "x / (1 + e^-x), x of size up to "
            + NEAR + ".", ValueType.F32, (lets, x) -> {
                Exponentials.Reduced e = Exponentials.reduce(KIND, lets, lets.let("minus", x.abs().negate()));
                Logistic near = Logistic.of(lets, x, e, e.n());
                return x.times(near.value).times(near.isNegative.choose(near.power, KIND.one));
            });

    static final ValueFunction GELU_TANH_F32 = ValueFunction.of("gelu_tanh_f32",
            "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.", ValueType.F32, (lets, x) -> {
                Value size = lets.let("size", x.abs().min(12));
                // Twice the tangent's argument, as a pair: (1 + tanh(u)) / 2 is the logistic function of 2 u.
                Pair square = Pair.product(lets, size, size);
                Pair factor = square.times(lets, CUBIC).plus(lets, LINEAR);
                Pair argument = new Pair(size, Value.f32(0)).times(lets, factor);
                return logistic(lets, x, x.max(-12), Exponentials.reduce(KIND, lets,
                        lets.let("minus", argument.high().negate()), argument.low().negate()));
            });

    private Sigmoids() { }

    /**
     * @param e to the power of minus the size of the argument
     * @param below what the result is multiplied by where x is negative, and else by x, which makes a NaN of a NaN;
     *     null for neither
     */
    private static Value logistic(ValueFunction.Lets lets, Value x, Value below, Exponentials.Reduced e) {
        Logistic of = Logistic.of(lets, x, e, e.n().max(Value.i32(-100)));
        Value result = lets.let("result", below == null ? of.value
                : of.isNegative.choose(below, x).times(of.value));
        // Where n is not 0 the result is no small number, so that the first factor rounds nothing.
        Value scaled = result.times(KIND.powerOfTwo(e.n().plus(DOWN))).times(KIND.constant(Math.scalb(1.0, -DOWN)));
        return of.isNegative.choose(scaled, result);
    }

    /** @param value the logistic function of x, of a negative x by {@code power} */
    private record Logistic(Value power, Value isNegative, Value value) {
        /** @param n the power's exponent */
        static Logistic of(ValueFunction.Lets lets, Value x, Exponentials.Reduced e, Value n) {
            Value growth = lets.let("growth", e.growth());
            Pair mantissa = Pair.fastSum(lets, KIND.one, growth);
            Value power = lets.let("power", KIND.powerOfTwo(n));
            Value above = lets.let("above", power.plus(1));
            Value denominator = lets.let("denominator", power.fma(growth, above));
            Value lost = power.fma(growth, above.minus(denominator)).plus(power.minus(above.minus(1)));
            Value reciprocal = lets.let("reciprocal", KIND.reciprocalOfSmall(denominator));
            Value isNegative = lets.let("is_negative", x.lessThan(0));
            Value numerator = lets.let("numerator", isNegative.choose(mantissa.high(), KIND.one));
            Value quotient = lets.let("quotient", numerator.times(reciprocal));
            Value negative = quotient.negate();
            Value rest = negative.fma(denominator, numerator).plus(
                    negative.fma(lost, isNegative.choose(mantissa.low(), Value.f32(0))));
            return new Logistic(power, isNegative, rest.fma(reciprocal, quotient));
        }
    }
}
