package dev.tilewright.layout;

/** Sums and products that stop at the ends of {@code long}: for sizes that only have to be "too large". */
public final class Saturating {

    private Saturating() { }

    /** The product, or the limit on its side where it does not fit. */
    public static long multiply(long a, long b) {
        long high = Math.multiplyHigh(a, b);
        long low = a * b;
        if (high == low >> 63) {
            return low;
        }
        return (a ^ b) < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /** The sum, or the limit on its side where it does not fit. */
    public static long add(long a, long b) {
        long sum = a + b;
        if (((a ^ sum) & (b ^ sum)) < 0) {
            return a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        return sum;
    }

    /**
     * The smallest multiple of {@code step} that is not below {@code value}; the largest there is where that overflows.
     */
    public static long roundUp(long value, long step) {
        long down = Math.floorDiv(value, step) * step;
        if (down == value) {
            return value;
        }
        return down > Long.MAX_VALUE - step ? down : down + step;
    }
}
