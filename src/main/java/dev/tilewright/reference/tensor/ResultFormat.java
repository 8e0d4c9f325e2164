package dev.tilewright.reference.tensor;

import dev.tilewright.layout.FloatBits;

/**
 * What a sum is rounded to: an integer number of units of some power of two, once. Measured on an H200 and on an H100:
 * to f32 by cutting towards zero, to f16 to nearest even. A sum that is rounded to zero gives +0, even a negative one.
 */
enum ResultFormat {
    F32(23, 8, FloatBits.NAN_F32) {
        @Override
        int round(long sum, int unit, int kept) {
            long magnitude = Math.abs(sum);
            int sign = sum < 0 ? 0x8000_0000 : 0;
            int top = 63 - Long.numberOfLeadingZeros(magnitude);
            int exponent = top + unit;
            if (exponent > 127) {
                return infinity(sum < 0);
            }
            if (exponent < -126) {
                int cut = (int) shifted(magnitude, unit + 149);
                return cut == 0 ? 0 : sign | cut;
            }
            int significand = (int) shifted(magnitude, 23 - top) & -1 << 23 - kept;
            return sign | exponent + 127 << 23 | significand & 0x7F_FFFF;
        }
    },
    F16(10, 5, FloatBits.NAN_16) {
        @Override
        int round(long sum, int unit, int kept) {
            long magnitude = Math.abs(sum);
            int sign = sum < 0 ? 0x8000 : 0;
            int exponent = 63 - Long.numberOfLeadingZeros(magnitude) + unit;
            if (exponent > 15) {
                return infinity(sum < 0);
            }
            int field = Math.max(exponent, -14) + 15;
            int dropped = field - 25 - unit;
            long significand = shifted(magnitude, -dropped);
            if (dropped > 0) {
                long rest = magnitude - (significand << dropped);
                long half = 1L << dropped - 1;
                significand += rest > half || rest == half && (significand & 1) != 0 ? 1 : 0;
            }
            // The hidden bit, and a carry out of the fraction, add one to the exponent's field.
            int word = (field - 1 << 10) + (int) significand;
            return word == 0 ? 0 : sign | word;
        }
    };

    private final int fractionBits;
    private final int signBit;
    private final int infinity;
    private final int nan;

    ResultFormat(int fractionBits, int exponentBits, long nan) {
        this.fractionBits = fractionBits;
        this.signBit = 1 << fractionBits + exponentBits;
        this.infinity = signBit - (1 << fractionBits);
        this.nan = (int) nan;
    }

    /**
     * The bits of {@code sum * 2^unit}.
     *
     * @param sum not zero
     * @param kept of f32, the fraction bits that are kept; the others become zero
     */
    abstract int round(long sum, int unit, int kept);

    int nan() {
        return nan;
    }

    int infinity(boolean negative) {
        return negative ? signBit | infinity : infinity;
    }

    int fractionBits() {
        return fractionBits;
    }

    /** The exponent as {@link OperandFormat} counts it; of a zero twice {@link OperandFormat#ZERO}. */
    int exponent(int word) {
        int field = (word & infinity) >>> fractionBits;
        int fraction = word & (1 << fractionBits) - 1;
        int largest = infinity >>> fractionBits;
        if (field == 0) {
            return fraction == 0 ? 2 * OperandFormat.ZERO : 1 - (largest >> 1);
        }
        return field < largest ? field - (largest >> 1) : fraction == 0 ? OperandFormat.INFINITY : OperandFormat.NAN;
    }

    /** The significand with its sign; of infinities and NaNs only the sign means something. */
    int significand(int word) {
        int hidden = (word & infinity) == 0 ? 0 : 1 << fractionBits;
        int magnitude = word & (1 << fractionBits) - 1 | hidden;
        return (word & signBit) != 0 ? -magnitude : magnitude;
    }

    /** Shifts left, or where negative right, cutting; by any count. */
    private static long shifted(long magnitude, int left) {
        return left >= 0 ? magnitude << left : left > -64 ? magnitude >>> -left : 0;
    }
}
