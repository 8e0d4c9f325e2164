package dev.tilewright.program.value;

import java.util.Locale;

/**
 * Functions of one f32 that the hardware approximates. No standard says their bits, and generations of GPUs differ in
 * them. The errors are the largest that an H200 makes of any argument whose result is a normal number (measured: all of
 * them); what other GPUs may do is said in the PTX ISA, "Floating-Point Instructions", which promises less for some:
 * for tanh a relative error of 2^-11.
 */
public enum ApproximateOp {
    /** 2 to the power. */
    EX2("relative error at most 2^-22.7"),
    /** The logarithm to base 2. */
    LG2("absolute error at most 2^-22.1 between 0.5 and 2, relative error at most 2^-22 elsewhere"),
    /** One over it. */
    RCP("relative error at most 2^-23.2"),
    /** One over the square root. */
    RSQRT("relative error at most 2^-22.9"),
    /** The square root. */
    SQRT("relative error at most 2^-23.2"),
    /** The sine of an angle in radians. */
    SIN("absolute error at most 2^-20.5 between -2 pi and 2 pi"),
    /** The cosine of an angle in radians. */
    COS("absolute error at most 2^-20.4 between -2 pi and 2 pi"),
    /** The hyperbolic tangent. */
    TANH("relative error at most 2^-16.4");

    private final String error;

    ApproximateOp(String error) {
        this.error = error;
    }

    /** The largest error on an H200, in words. */
    public String error() {
        return error;
    }

    /**
     * The function's value, rounded to f32 from a double: within {@link #error} of the hardware's result.
     *
     * @param word of the argument
     * @return a word
     */
    public long nearest(long word) {
        double x = Float.intBitsToFloat((int) word);
        double y = switch (this) {
            case EX2 -> StrictMath.pow(2, x);
            case LG2 -> StrictMath.log(x) / StrictMath.log(2);
            case RCP -> 1 / x;
            case RSQRT -> 1 / Math.sqrt(x);
            case SQRT -> Math.sqrt(x);
            case SIN -> StrictMath.sin(x);
            case COS -> StrictMath.cos(x);
            case TANH -> StrictMath.tanh(x);
        };
        return Double.isNaN(y) ? 0x7FFF_FFFFL : Float.floatToRawIntBits((float) y) & 0xFFFF_FFFFL;
    }

    /** The instruction: {@code ex2.approx.f32}. */
    public String instruction() {
        return this + ".approx.f32";
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
