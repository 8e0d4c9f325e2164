package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;

/** What functions that are written once for f32 and f64 must know of the two. */
enum FloatKind {
    F32(ValueType.F32, ValueType.I32, 23, 127, 0x7FFF_FFFFL, 0x1.715476p+0, 0x1.62e430p-1, -0x1.05c610p-29),
    F64(ValueType.F64, ValueType.I64, 52, 1023, 0x7FFF_FFFF_FFFF_FFFFL, 0x1.71547652b82fep+0, 0x1.62e42fefa39efp-1,
            0x1.abc9e3b39803fp-56);

    /** The type itself. */
    final ValueType type;
    /** Signed integers of its width. */
    final ValueType integer;
    final int fractionBits;
    final int bias;
    /** The one NaN that arithmetic makes. */
    final Value nan;
    final Value infinity;
    final Value one;
    /** log2 e, rounded. */
    final Value log2e;
    /** -log 2 in two parts, whose sum has twice the bits. */
    final Value minusLn2High;
    final Value minusLn2Low;
    /**
     * 1.5 times 2 to the fraction bits: a small number added to it is rounded to whole, which its last bits then are.
     */
    private final Value toWhole;

    FloatKind(ValueType type, ValueType integer, int fractionBits, int bias, long nan, double log2e, double ln2High,
            double ln2Low) {
        this.type = type;
        this.integer = integer;
        this.fractionBits = fractionBits;
        this.bias = bias;
        this.nan = Value.ofBits(type, nan);
        this.infinity = constant(Double.POSITIVE_INFINITY);
        this.one = constant(1);
        this.log2e = constant(log2e);
        this.minusLn2High = constant(-ln2High);
        this.minusLn2Low = constant(-ln2Low);
        this.toWhole = constant(Math.scalb(1.5, fractionBits));
    }

    Value constant(double number) {
        return Value.of(type, number);
    }

    /** {@code c[0] + c[1] x + c[2] x^2 + ...} by Horner's rule. */
    Value polynomial(Value x, double... coefficients) {
        Value sum = constant(coefficients[coefficients.length - 1]);
        for (int k = coefficients.length - 2; k >= 0; k--) {
            sum = sum.fma(x, constant(coefficients[k]));
        }
        return sum;
    }

    /** A number rounded to whole, of at most a fourth of {@link #toWhole} in size: as a float, and as an integer. */
    record Whole(Value number, Value integer) { }

    /** {@code x * factor} rounded to whole. */
    Whole whole(ValueFunction.Lets lets, Value x, Value factor) {
        return wholeOf(lets, x.fma(factor, toWhole));
    }

    Whole whole(ValueFunction.Lets lets, Value x) {
        return wholeOf(lets, x.plus(toWhole));
    }

    private Whole wholeOf(ValueFunction.Lets lets, Value sum) {
        Value shifted = lets.let("shifted", sum);
        return new Whole(lets.let("whole", shifted.minus(toWhole)),
                lets.let("n", shifted.bitCast(integer).minus(toWhole.bitCast(integer))));
    }

    /** 2 to the power of an integer from {@code 1 - bias} to {@code bias}. */
    Value powerOfTwo(Value n) {
        return n.plus(bias).shiftLeft(fractionBits).bitCast(type);
    }

    /**
     * {@code x * 2^n} with n to twice {@link #bias}, of an x near 1: in two factors, of which the first rounds nothing.
     */
    Value scaled(ValueFunction.Lets lets, Value x, Value n) {
        Value half = lets.let("half", n.shiftRight(1));
        return x.times(powerOfTwo(half)).times(powerOfTwo(n.minus(half)));
    }

    /** One over a number from 1 to 32, which is said here: an instruction and a step need not look at what it is. */
    Value reciprocalOfSmall(Value x) {
        return x.min(constant(32)).max(one).reciprocal();
    }

    /** The result, but of a NaN the NaN. */
    Value unlessNan(Value x, Value result) {
        return x.isNan().choose(nan, result);
    }
}
