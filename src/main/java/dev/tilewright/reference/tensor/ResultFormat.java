package dev.tilewright.reference.tensor;

import dev.tilewright.layout.FloatBits;

/**
 * What a sum is rounded to: an integer number of units of some power of two, once. Measured on an H200 and on an H100:
 * to f32 by cutting towards zero, to f16 to nearest even. A sum that is rounded to zero gives +0, even a negative one.
 */
enum ResultFormat {
    F32 {
        @Override
        int round(long sum, int unit, int kept) {
            long magnitude = Math.abs(sum);
            int sign = sum < 0 ? 0x8000_0000 : 0;
            int top = 63 - Long.numberOfLeadingZeros(magnitude);
            int exponent = top + unit;
            if (exponent > 127) {
                return sign | INFINITE_F32;
            }
            if (exponent < -126) {
                int cut = (int) shifted(magnitude, unit + 149);
                return cut == 0 ? 0 : sign | cut;
            }
            int significand = (int) shifted(magnitude, 23 - top) & -1 << 23 - kept;
            return sign | exponent + 127 << 23 | significand & 0x7F_FFFF;
        }

        @Override
        int nan() {
            return (int) FloatBits.NAN_F32;
        }

        @Override
        int infinity(boolean negative) {
            return negative ? 0x8000_0000 | INFINITE_F32 : INFINITE_F32;
        }

        @Override
        int fractionBits() {
            return 23;
        }

        @Override
        int exponent(int word) {
            int field = word >>> 23 & 0xFF;
            int fraction = word & 0x7F_FFFF;
            if (field == 0) {
                return fraction == 0 ? 2 * OperandFormat.ZERO : -126;
            }
            return field < 255 ? field - 127 : fraction == 0 ? OperandFormat.INFINITY : OperandFormat.NAN;
        }

        @Override
        int significand(int word) {
            int hidden = (word & INFINITE_F32) == 0 ? 0 : 0x80_0000;
            int magnitude = word & 0x7F_FFFF | hidden;
            return word < 0 ? -magnitude : magnitude;
        }
    },
    F16 {
        @Override
        int round(long sum, int unit, int kept) {
            long magnitude = Math.abs(sum);
            int sign = sum < 0 ? 0x8000 : 0;
            int exponent = 63 - Long.numberOfLeadingZeros(magnitude) + unit;
            if (exponent > 15) {
                return sign | INFINITE_F16;
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

        @Override
        int nan() {
            return (int) FloatBits.NAN_16;
        }

        @Override
        int infinity(boolean negative) {
            return negative ? 0x8000 | INFINITE_F16 : INFINITE_F16;
        }

        @Override
        int fractionBits() {
            return 10;
        }

        @Override
        int exponent(int word) {
            int field = word >>> 10 & 0x1F;
            int fraction = word & 0x3FF;
            if (field == 0) {
                return fraction == 0 ? 2 * OperandFormat.ZERO : -14;
            }
            return field < 31 ? field - 15 : fraction == 0 ? OperandFormat.INFINITY : OperandFormat.NAN;
        }

        @Override
        int significand(int word) {
            int hidden = (word & INFINITE_F16) == 0 ? 0 : 0x400;
            int magnitude = word & 0x3FF | hidden;
            return (word & 0x8000) != 0 ? -magnitude : magnitude;
        }
    };

    private static final int INFINITE_F32 = 0x7F80_0000;
    private static final int INFINITE_F16 = 0x7C00;

    /**
     * The bits of {@code sum * 2^unit}.
     *
     * @param sum not zero
     * @param kept of f32, the fraction bits that are kept; the others become zero
     */
    abstract int round(long sum, int unit, int kept);

    abstract int nan();

    abstract int infinity(boolean negative);

    abstract int fractionBits();

    /** The exponent as {@link OperandFormat} counts it; of a zero twice {@link OperandFormat#ZERO}. */
    abstract int exponent(int word);

    /** The significand with its sign; of infinities and NaNs only the sign means something. */
    abstract int significand(int word);

    /** Shifts left, or where negative right, cutting; by any count. */
    private static long shifted(long magnitude, int left) {
        return left >= 0 ? magnitude << left : left > -64 ? magnitude >>> -left : 0;
    }
}
