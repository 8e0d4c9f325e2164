package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;

/** The hyperbolic tangent: near 0 an odd polynomial, else {@code 1 - 2 / (e^2x + 1)}. */
final class Hyperbolics {
    private static final double NEAR = 0.55;

    /** {@code (tanh(x) - x) / x^3} in x^2, to 2^-29 and 2^-54 of the tangent. */
    private static final double[] TANH = {-0x1.555552p-2, 0x1.110eb6p-3, -0x1.b960c0p-5, 0x1.5ad7fcp-6, -0x1.a36a5ep-8};
    private static final double[] TANH_F64 = {-0x1.5555555555545p-2, 0x1.111111110ccdbp-3, -0x1.ba1ba1b43d4b2p-5,
        0x1.664f46e096383p-6, -0x1.226df80f16c75p-7, 0x1.d6c92bbf59864p-9, -0x1.7d0f663d7e6f5p-10,
        0x1.303a3810169fcp-11, -0x1.bca4f7ee04cd2p-13, 0x1.b55a7a15bfe7ep-15};

    static final ValueFunction TANH_F32 = tanh(FloatKind.F32, 10, TANH);
    static final ValueFunction TANH_OF_F64 = tanh(FloatKind.F64, 20, TANH_F64);

    private Hyperbolics() { }

    /** @param far from here on the result is 1 */
    private static ValueFunction tanh(FloatKind kind, double far, double[] polynomial) {
        return ValueFunction.of("tanh_" + kind.type, "The hyperbolic tangent of x.", kind.type, (lets, x) -> {
            Value size = lets.let("size", x.abs());
            Value z = lets.let("z", size.times(size));
            Value near = size.times(z).fma(kind.polynomial(z, polynomial), size);
            Value limited = lets.let("limited", size.min(far));
            Exponentials.Reduced e = Exponentials.reduce(kind, lets, lets.let("twice", limited.plus(limited)));
            Value power = lets.let("power", kind.powerOfTwo(e.n()));
            Value denominator = power.fma(e.growth(), power.plus(1));
            Value beyond = denominator.reciprocal().fma(kind.constant(-2), kind.one);
            return kind.unlessNan(x, size.lessThan(NEAR).choose(near, beyond).copySign(x));
        });
    }
}
