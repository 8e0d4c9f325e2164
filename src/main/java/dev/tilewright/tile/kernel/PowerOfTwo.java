package dev.tilewright.tile.kernel;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tile;

/**
 * Two to the power of f32 numbers by few operations that are the same on every device, for weights that are rounded to
 * 16 bits afterwards: a polynomial of degree 3 takes the fraction, whose relative error is below 1.02e-4, and an
 * addition of integers the exponent.
 */
final class PowerOfTwo {
    /** The power is exactly 0 here and below. */
    private static final int LEAST = -127;
    /** 1.5 * 2^23: what is added to it is rounded to an integer, which the sum's lowest bits are. */
    private static final double INTEGERS = 0x1.8p23;
    private static final int FRACTION_BITS = 23;
    /** Of f, f^2 and f^3 beside 1: the least greatest relative error on [-1/2, 1/2]. */
    private static final double[] FACTORS = {0.6932829022407532, 0.2422109693288803, 0.05500893294811249};

    private PowerOfTwo() {
    }

    /** Of numbers below 127: exactly 0 of {@value #LEAST} and less and of NaNs, exactly a power of two of integers. */
    static Tile of(Tile x) {
        Tile bounded = x.map(v -> v.max(LEAST));
        // The sum is computed where it is used, so that no tile of it is held.
        Tile fraction = bounded.map(v -> v.minus(v.plus(INTEGERS).minus(INTEGERS)));
        return fraction.map(bounded, (f, v) -> polynomial(f).bitCast(ValueType.U32).plus(v.plus(INTEGERS)
                .bitCast(ValueType.U32).shiftLeft(FRACTION_BITS)).bitCast(ValueType.F32));
    }

    private static Value polynomial(Value f) {
        return f.fma(Value.f32((float) FACTORS[2]), Value.f32((float) FACTORS[1]))
                .fma(f, Value.f32((float) FACTORS[0])).fma(f, Value.f32(1));
    }
}
