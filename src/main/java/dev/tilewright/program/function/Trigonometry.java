package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;

/**
 * Sine and cosine. The argument, reduced to a number of quarter turns and a rest of at most half of one ({@link
 * Quadrant}, the rest a pair), goes through a polynomial of the sine and one of the cosine; the quarter chooses.
 */
final class Trigonometry {
    /** {@code (sin(r) - r) / r^3} in r^2 to 2^-27 and 2^-57, {@code |r|} up to an eighth of a turn. */
    private static final double[] SIN = {-0x1.555546p-3, 0x1.110768p-7, -0x1.994b16p-13};
    private static final double[] SIN_OF_F64 = {-0x1.5555555555550p-3, 0x1.11111111100d8p-7, -0x1.a01a019ce9c33p-13,
        0x1.71de36161e960p-19, -0x1.ae5ed24d83610p-26, 0x1.5daee47d6787dp-33};
    /** {@code (cos(r) - 1 + r^2 / 2) / r^4} in r^2 to 2^-32 and 2^-62. */
    private static final double[] COS = {0x1.555552p-5, -0x1.6c103ap-10, 0x1.9ae79cp-16};
    private static final double[] COS_OF_F64 = {0x1.5555555555555p-5, -0x1.6c16c16c165abp-10, 0x1.a01a019ea017ap-16,
        -0x1.27e4f9640a935p-22, 0x1.1eeacea78f0fdp-29, -0x1.901f932f71daap-37};

    static final ValueFunction SIN_F32 = function(FloatKind.F32, "sin", false);
    static final ValueFunction COS_F32 = function(FloatKind.F32, "cos", true);
    static final ValueFunction SIN_F64 = function(FloatKind.F64, "sin", false);
    static final ValueFunction COS_F64 = function(FloatKind.F64, "cos", true);

    private Trigonometry() { }

    private static ValueFunction function(FloatKind kind, String name, boolean isCosine) {
        return ValueFunction.of(name + "_" + kind.type, "The " + (isCosine ? "cosine" : "sine") + " of x radians.",
                kind.type, (lets, x) -> {
                    Value size = lets.let("size", x.abs());
                    Quadrant q = kind == FloatKind.F32 ? QuadrantF32.of(lets, size) : QuadrantF64.of(lets, size);
                    Value r = q.rest().high();
                    Value low = q.rest().low();
                    Value z = lets.let("z", r.times(r));
                    Value sine = r.plus(r.times(z).fma(
                            kind.polynomial(z, kind == FloatKind.F32 ? SIN : SIN_OF_F64), low));
                    Value half = lets.let("half_square", z.times(0.5));
                    Value most = lets.let("most", kind.one.minus(half));
                    Value rest = r.negate().fma(low, kind.one.minus(most).minus(half));
                    Value cosine = most.plus(z.times(z).fma(
                            kind.polynomial(z, kind == FloatKind.F32 ? COS : COS_OF_F64), rest));
                    Value turn = isCosine ? lets.let("turn", q.quarters().plus(1)) : q.quarters();
                    Value odd = q.quarters().and(Value.u32(1)).isNotEqualTo(Value.u32(0));
                    Value result = lets.let("result", isCosine ? odd.choose(sine, cosine) : odd.choose(cosine, sine));
                    // The third and fourth quarter turn change the sign, as does a negative x that of the sine.
                    ValueType bits = kind == FloatKind.F32 ? ValueType.U32 : ValueType.U64;
                    Value sign = turn.and(Value.u32(2)).to(bits).shiftLeft(kind.type.bits() - 2);
                    if (!isCosine) {
                        sign = sign.xor(x.bitCast(bits).and(
                                Value.ofBits(bits, 1L << kind.type.bits() - 1)));
                    }
                    Value signed = result.bitCast(bits).xor(sign).bitCast(kind.type);
                    return size.lessThan(kind.infinity).choose(signed, kind.nan);
                });
    }
}
