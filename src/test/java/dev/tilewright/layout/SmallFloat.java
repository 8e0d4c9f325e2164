package dev.tilewright.layout;

import java.math.BigDecimal;

/**
 * A 16-bit binary float taken apart by its definition, exactly and slowly: value of every bit pattern, and the pattern
 * nearest to a number, found by search. Nothing here is shared with the code under test.
 */
public final class SmallFloat {
    public static final SmallFloat F16 = new SmallFloat(5, 10);
    public static final SmallFloat BF16 = new SmallFloat(8, 7);

    private final int exponentBits;
    private final int fractionBits;
    private final int infinity;

    private SmallFloat(int exponentBits, int fractionBits) {
        this.exponentBits = exponentBits;
        this.fractionBits = fractionBits;
        this.infinity = (1 << exponentBits) - 1 << fractionBits;
    }

    /** The value of a pattern: a double holds all of them. */
    public double value(int bits) {
        int magnitude = bits & 0x7FFF;
        double result = magnitude > infinity ? Double.NaN : magnitude == infinity ? Double.POSITIVE_INFINITY
                : finite(magnitude);
        return (bits & 0x8000) != 0 ? -result : result;
    }

    /** A finite magnitude; the pattern of infinity counts as the next step of the scale, for rounding. */
    private double finite(int magnitude) {
        int exponent = magnitude >> fractionBits;
        int fraction = magnitude & (1 << fractionBits) - 1;
        int bias = (1 << exponentBits - 1) - 1;
        return exponent == 0 ? Math.scalb((double) fraction, 1 - bias - fractionBits)
                : Math.scalb((double) (fraction + (1 << fractionBits)), exponent - bias - fractionBits);
    }

    /** The pattern nearest to the value, the even one of two; 0x7FFF for every NaN. */
    public int nearest(double value) {
        if (Double.isNaN(value)) {
            return 0x7FFF;
        }
        int sign = Math.copySign(1, value) < 0 ? 0x8000 : 0;
        double magnitude = Math.abs(value);
        int low = 0;
        int high = infinity;
        while (low < high) {
            int middle = (low + high + 1) / 2;
            if (finite(middle) <= magnitude) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (low == infinity) {
            return sign | infinity;
        }
        BigDecimal below = new BigDecimal(magnitude).subtract(new BigDecimal(finite(low)));
        BigDecimal above = new BigDecimal(finite(low + 1)).subtract(new BigDecimal(magnitude));
        int order = below.compareTo(above);
        return sign | (order < 0 || order == 0 && low % 2 == 0 ? low : low + 1);
    }
}
