package dev.tilewright.program.function;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Functions of values that give the same bits on the CPU and on every GPU: polynomials in fused multiply-adds and
 * operations that are rounded exactly, without branches. Generated code has each as one device function.
 *
 * <p>The errors said below bound the greatest found, in units in the last place of the result (0.5 is the best that
 * rounding can do): in f32 over all 2^32 arguments against {@link StrictMath} in doubles (of {@code pow}, over random
 * pairs), in f64 over random arguments against decimal arithmetic of 90 digits; native-tests/logs/functions-ulp.log has
 * them. Subnormal arguments and results are what they are, not 0. A result that is a NaN is the one of the type's
 * arithmetic, whatever NaN came in.
 */
public final class Functions {
    private Functions() { }

    /** e to the power of x, to 0.9 last places (f32, f64). */
    public static Value exp(Value x) {
        Objects.requireNonNull(x, "x");
        return of("exp", x, Exponentials.EXP_F32, Exponentials.EXP_F64);
    }

    /** 2 to the power of x, to 0.9 last places (f32). Of whole numbers exact. */
    public static Value exp2(Value x) {
        Objects.requireNonNull(x, "x");
        return of("exp2", x, Exponentials.EXP2_F32);
    }

    /** e to the power of x, minus 1, also near 0, to 1.3 last places (f32). Of -0 itself. */
    public static Value expm1(Value x) {
        Objects.requireNonNull(x, "x");
        return of("expm1", x, Exponentials.EXPM1_F32);
    }

    /** The natural logarithm, to 0.9 last places (f32, f64). Of both zeros minus infinity, of what is less a NaN. */
    public static Value log(Value x) {
        Objects.requireNonNull(x, "x");
        return of("log", x, Logarithms.LOG_F32, Logarithms.LOG_F64);
    }

    /**
     * The logarithm to base 2, to 1.0 last places (f32). As {@link #log} of zeros and of what is less; of powers of 2
     * exact.
     */
    public static Value log2(Value x) {
        Objects.requireNonNull(x, "x");
        return of("log2", x, Logarithms.LOG2_F32);
    }

    /** The logarithm to base 10, to 1.2 last places (f32). As {@link #log} of zeros and of what is less. */
    public static Value log10(Value x) {
        Objects.requireNonNull(x, "x");
        return of("log10", x, Logarithms.LOG10_F32);
    }

    /** The hyperbolic tangent, to 1.4 last places (f32, f64). Of -0 itself. */
    public static Value tanh(Value x) {
        Objects.requireNonNull(x, "x");
        return of("tanh", x, Hyperbolics.TANH_F32, Hyperbolics.TANH_OF_F64);
    }

    /** The error function, to 1.2 last places (f32) and 2 (f64). Of -0 itself. */
    public static Value erf(Value x) {
        Objects.requireNonNull(x, "x");
        return of("erf", x, ErrorFunctions.ERF_F32, ErrorFunctions.ERF_F64);
    }

    /** {@code 1 / (1 + e^-x)}, to 1.2 last places (f32), also where it is near 0. */
    public static Value sigmoid(Value x) {
        Objects.requireNonNull(x, "x");
        return of("sigmoid", x, Sigmoids.SIGMOID_F32);
    }

    /** {@code x / (1 + e^-x)}, to 1.9 last places (f32). Of -0 itself, of minus infinity -0. */
    public static Value silu(Value x) {
        Objects.requireNonNull(x, "x");
        return of("silu", x, Sigmoids.SILU_F32);
    }

    /**
     * The Gaussian error linear unit {@code x (1 + erf(x / sqrt(2))) / 2}, to 2.7 last places (f32), also far below 0.
     * Of -0 itself, of minus infinity -0.
     */
    public static Value gelu(Value x) {
        Objects.requireNonNull(x, "x");
        return of("gelu", x, ErrorFunctions.GELU_F32);
    }

    /**
     * The form of {@link #gelu} by a hyperbolic tangent, {@code x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2}, to
     * 2.0 last places (f32). Of -0 itself, of minus infinity -0.
     */
    public static Value geluTanh(Value x) {
        Objects.requireNonNull(x, "x");
        return of("geluTanh", x, Sigmoids.GELU_TANH_F32);
    }

    /** The sine of radians, to 1.1 last places (f32) and 1.0 (f64), of any size. Of -0 itself, of infinities a NaN. */
    public static Value sin(Value x) {
        Objects.requireNonNull(x, "x");
        return of("sin", x, Trigonometry.SIN_F32, Trigonometry.SIN_F64);
    }

    /** The cosine of radians, to 1.1 last places (f32) and 1.0 (f64), of any size. Of infinities a NaN. */
    public static Value cos(Value x) {
        Objects.requireNonNull(x, "x");
        return of("cos", x, Trigonometry.COS_F32, Trigonometry.COS_F64);
    }

    /** One over the square root, to 0.51 last places (f32, f64). Of zeros the infinity of their sign, of less a NaN. */
    public static Value rsqrt(Value x) {
        Objects.requireNonNull(x, "x");
        return of("rsqrt", x, Powers.RSQRT_F32, Powers.RSQRT_F64);
    }

    /**
     * x to the power of y, to 1.2 last places (f32) and 1.4 (f64). Special values as IEEE 754 has them for pow, also
     * where {@link Math#pow} differs: 1 to any power is 1, and anything to the power of 0, of a NaN too; -1 to an
     * infinite power is 1. Of a negative number to a power that is not whole a NaN.
     */
    public static Value pow(Value x, Value y) {
        NotNull.all("x, y", x, y);
        ValueFunction function = forType("pow", x.type(), Powers.POW_F32, Powers.POW_F64);
        return function.of(x, y);
    }

    private static Value of(String name, Value x, ValueFunction... functions) {
        return forType(name, x.type(), functions).of(x);
    }

    private static ValueFunction forType(String name, ValueType type, ValueFunction... functions) {
        for (ValueFunction function : functions) {
            if (function.type() == type) {
                return function;
            }
        }
        throw new IllegalArgumentException(name + " is for " + Arrays.stream(functions)
                .map(f -> f.type().toString()).collect(Collectors.joining(" and ")) + ", got a value of type " + type
                + ": convert it, with to(F32)");
    }
}
