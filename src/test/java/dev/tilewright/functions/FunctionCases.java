package dev.tilewright.functions;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.function.Functions;
import dev.tilewright.program.value.ValueType;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The functions, each with what it must be and how far from it it may be. */
public final class FunctionCases {
    /** A function of one f32. @param ulps the greatest error, as documented */
    public record OfFloat(String name, UnaryOperator<Value> function, DoubleUnaryOperator exact, double ulps) {
        public ValueFunction tree() {
            return FunctionCases.tree(function.apply(Value.f32(0)));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** A function of one f64. @param least and {@code greatest} between which it is neither constant nor infinite */
    public record OfDouble(String name, UnaryOperator<Value> function, DoubleFunction<BigDecimal> exact, double least,
            double greatest, double ulps) {
        public ValueFunction tree() {
            return FunctionCases.tree(function.apply(Value.f64(0)));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    public static final List<OfFloat> F32 = List.of(
            new OfFloat("exp", Functions::exp, StrictMath::exp, 0.9),
            new OfFloat("exp2", Functions::exp2, DoubleFunctions::exp2, 0.9),
            new OfFloat("expm1", Functions::expm1, StrictMath::expm1, 1.3),
            new OfFloat("log", Functions::log, StrictMath::log, 0.9),
            new OfFloat("log2", Functions::log2, DoubleFunctions::log2, 1.0),
            new OfFloat("log10", Functions::log10, StrictMath::log10, 1.2),
            new OfFloat("tanh", Functions::tanh, StrictMath::tanh, 1.4),
            new OfFloat("erf", Functions::erf, DoubleFunctions::erf, 1.2),
            new OfFloat("sigmoid", Functions::sigmoid, DoubleFunctions::sigmoid, 1.2),
            new OfFloat("silu", Functions::silu, DoubleFunctions::silu, 1.9),
            new OfFloat("gelu", Functions::gelu, DoubleFunctions::gelu, 2.7),
            new OfFloat("geluTanh", Functions::geluTanh, DoubleFunctions::geluTanh, 2.0),
            new OfFloat("sin", Functions::sin, StrictMath::sin, 1.1),
            new OfFloat("cos", Functions::cos, StrictMath::cos, 1.1),
            new OfFloat("rsqrt", Functions::rsqrt, DoubleFunctions::rsqrt, 0.51));

    private static final double HUGE = Double.MAX_VALUE;

    public static final List<OfDouble> F64 = List.of(
            new OfDouble("exp", Functions::exp, x -> BigFunctions.exp(new BigDecimal(x)), -746, 710, 0.9),
            new OfDouble("log", Functions::log, BigFunctions::log, Double.MIN_VALUE, HUGE, 0.9),
            new OfDouble("tanh", Functions::tanh, BigFunctions::tanh, -20, 20, 1.4),
            new OfDouble("erf", Functions::erf, BigFunctions::erf, -6, 6, 2),
            new OfDouble("sin", Functions::sin, BigFunctions::sin, -HUGE, HUGE, 1.0),
            new OfDouble("cos", Functions::cos, BigFunctions::cos, -HUGE, HUGE, 1.0),
            new OfDouble("rsqrt", Functions::rsqrt, BigFunctions::rsqrt, Double.MIN_VALUE, HUGE, 0.51));

    /** The documented errors of powers. */
    public static final double POW_ULPS = 1.2;
    public static final double POW_F64_ULPS = 1.4;

    private FunctionCases() {
    }

    /** Every function of every type, and one over numbers that are seen to be moderate, which functions take. */
    public static List<ValueFunction> trees() {
        return Stream.of(F32.stream().map(OfFloat::tree), F64.stream().map(OfDouble::tree),
                Stream.of(pow(ValueType.F32), pow(ValueType.F64), reciprocalOfModerate())).flatMap(s -> s).toList();
    }

    private static ValueFunction reciprocalOfModerate() {
        return ValueFunction.of("reciprocal_of_moderate_f32", "One over x, of 2^-125 to 2^125.", ValueType.F32,
                (_, x) -> x.min(0x1p125).max(0x1p-125).reciprocal());
    }

    public static ValueFunction pow(ValueType type) {
        return tree(Functions.pow(Value.of(type, 0), Value.of(type, 0)));
    }

    private static ValueFunction tree(Value value) {
        return ((Value.Call) value).function();
    }
}
