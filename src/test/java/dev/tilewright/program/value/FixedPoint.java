package dev.tilewright.program.value;

import java.math.BigInteger;

/**
 * Formats by their definitions, exactly and slowly: the value of a bit pattern as a multiple of a fixed power of two
 * that is smaller than all that occurs, and the pattern for a value, found by search. Nothing here is shared with the
 * code under test.
 */
record FixedPoint(int exponentBits, int fractionBits, int largest, long canonicalNan, int scale) {
    /** Values are multiples of 2 to the power of minus this: products of the least numbers of the widest format. */
    private static final int WIDE = 2200;
    private static final int NARROW = 400;

    static FixedPoint of(ValueType type) {
        return switch (type) {
            case E4M3 -> new FixedPoint(4, 3, 0x7E, 0x7F, NARROW);
            case E5M2 -> new FixedPoint(5, 2, 0, 0x7F, NARROW);
            case F16 -> new FixedPoint(5, 10, 0, 0x7FFF, NARROW);
            case BF16 -> new FixedPoint(8, 7, 0, 0x7FFF, NARROW);
            case TF32 -> new FixedPoint(8, 10, 0, 0x3FFFF, NARROW);
            case F32 -> new FixedPoint(8, 23, 0, 0x7FFF_FFFFL, NARROW);
            case F64 -> new FixedPoint(11, 52, 0, Long.MAX_VALUE, WIDE);
            default -> throw new AssertionError(type);
        };
    }

    /** This format with values of another scale. */
    FixedPoint withScale(int other) {
        return new FixedPoint(exponentBits, fractionBits, largest, canonicalNan, other);
    }

    int bits() {
        return 1 + exponentBits + fractionBits;
    }

    /** The pattern after the largest number's: that of infinity, or of the NaN in its place. */
    long overflow() {
        return largest != 0 ? largest + 1 : (1L << exponentBits) - 1 << fractionBits;
    }

    long signBit() {
        return 1L << exponentBits + fractionBits;
    }

    boolean isNegative(long pattern) {
        return (pattern & signBit()) != 0;
    }

    boolean isNan(long pattern) {
        long magnitude = pattern & signBit() - 1;
        return largest != 0 ? magnitude == overflow() : magnitude > overflow();
    }

    boolean isInfinite(long pattern) {
        return largest == 0 && (pattern & signBit() - 1) == overflow();
    }

    /** Of a finite pattern, or of the one after the largest as if the numbers went on. */
    BigInteger value(long pattern) {
        long magnitude = pattern & signBit() - 1;
        long field = magnitude >>> fractionBits;
        long fraction = magnitude & (1L << fractionBits) - 1;
        int bias = (1 << exponentBits - 1) - 1;
        BigInteger significand = BigInteger.valueOf(field == 0 ? fraction : fraction + (1L << fractionBits));
        BigInteger value = significand.shiftLeft((int) Math.max(field, 1) - bias - fractionBits + scale);
        return isNegative(pattern) ? value.negate() : value;
    }

    /**
     * The pattern for a value.
     *
     * @param below whether the value's magnitude is a little more than was said, by less than the scale's unit
     */
    long nearest(boolean negative, BigInteger magnitude, boolean below, Rounding rounding, boolean saturate) {
        long low = 0;
        long high = overflow();
        while (low < high) {
            long middle = low + (high - low + 1) / 2;
            if (value(middle).compareTo(magnitude) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        long sign = negative ? signBit() : 0;
        if (low < overflow()) {
            BigInteger rest = magnitude.subtract(value(low));
            BigInteger gap = value(low + 1).subtract(value(low));
            int order = rest.shiftLeft(1).compareTo(gap);
            boolean tie = order == 0 && !below;
            boolean beyondHalf = order > 0 || order == 0 && below;
            boolean exact = rest.signum() == 0 && !below;
            boolean up = !exact && switch (rounding) {
                case NEAREST_EVEN -> beyondHalf || tie && (low & 1) != 0;
                case NEAREST_AWAY -> beyondHalf || tie;
                case TOWARDS_ZERO -> false;
                case DOWN -> negative;
                case UP -> !negative;
            };
            low += up ? 1 : 0;
        } else if (rounding == Rounding.TOWARDS_ZERO || rounding == (negative ? Rounding.UP : Rounding.DOWN)) {
            low--;
        }
        if (low == overflow() && (saturate || largest != 0)) {
            low--;
        }
        return sign | low;
    }
}
