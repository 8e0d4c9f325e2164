package dev.tilewright.reference.tensor;

import dev.tilewright.program.value.ValueType;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * One element of a tensor-core product by the measured rules, in exact decimal arithmetic: written for the tests, with
 * nothing of the reference's code.
 */
final class ExactDot {
    private static final BigDecimal TWO = BigDecimal.valueOf(2);

    private ExactDot() {
    }

    /** What an operand is worth. */
    static double value(ValueType type, long bits) {
        return switch (type) {
            case F16 -> Float.float16ToFloat((short) bits);
            case BF16 -> Float.intBitsToFloat((int) bits << 16);
            case TF32 -> Float.intBitsToFloat((int) bits & 0xFFFF_E000);
            case F32 -> Float.intBitsToFloat((int) bits);
            case E5M2 -> Float.float16ToFloat((short) (bits << 8));
            case E4M3 -> {
                int field = (int) bits >> 3 & 15;
                int fraction = (int) bits & 7;
                double magnitude = field == 15 && fraction == 7 ? Double.NaN
                        : field == 0 ? Math.scalb(fraction, -9) : Math.scalb(8 + fraction, field - 10);
                yield (bits & 0x80) != 0 ? -magnitude : magnitude;
            }
            default -> throw new IllegalArgumentException(type.toString());
        };
    }

    private static int leastExponent(ValueType type) {
        return switch (type) {
            case F16, E5M2 -> -14;
            case E4M3 -> -6;
            default -> -126;
        };
    }

    private static int exponent(ValueType type, double value) {
        return Math.max(Math.getExponent(value), leastExponent(type));
    }

    /** @param kept fraction bits of an f32 result that are kept */
    static long dot(ValueType aType, ValueType bType, long[] a, long[] b, long c, ValueType result, int adderBits,
            int kept) {
        double cValue = value(result, c);
        double ieee = cValue;
        int largest = Integer.MIN_VALUE;
        if (cValue != 0) {
            largest = exponent(result, cValue);
        }
        for (int i = 0; i < a.length; i++) {
            double x = value(aType, a[i]);
            double y = value(bType, b[i]);
            // Of magnitude one, so that only what is special decides.
            ieee += special(x * (Double.isInfinite(x) || Double.isInfinite(y) ? y : Double.isNaN(y) ? y : 0));
            if (x * y != 0) {
                largest = Math.max(largest, exponent(aType, x) + exponent(bType, y));
            }
        }
        if (Double.isNaN(ieee)) {
            return result == ValueType.F16 ? 0x7FFF : 0x7FFF_FFFFL;
        }
        if (Double.isInfinite(ieee)) {
            return (ieee < 0 ? result == ValueType.F16 ? 0x8000 : 0x8000_0000L : 0)
                    | (result == ValueType.F16 ? 0x7C00 : 0x7F80_0000L);
        }
        if (largest == Integer.MIN_VALUE) {
            return 0;
        }
        BigDecimal unit = power(largest - adderBits);
        BigDecimal sum = cut(new BigDecimal(cValue), unit);
        for (int i = 0; i < a.length; i++) {
            sum = sum.add(cut(new BigDecimal(value(aType, a[i])).multiply(new BigDecimal(value(bType, b[i]))), unit));
        }
        if (sum.signum() == 0) {
            return 0;
        }
        long rounded = result == ValueType.F16 ? toF16(sum) : toF32(sum, kept);
        return rounded == (result == ValueType.F16 ? 0x8000 : 0x8000_0000L) ? 0 : rounded;
    }

    private static double special(double product) {
        return Double.isNaN(product) || Double.isInfinite(product) ? product : 0;
    }

    private static BigDecimal power(int exponent) {
        return exponent >= 0 ? TWO.pow(exponent) : BigDecimal.ONE.divide(TWO.pow(-exponent));
    }

    private static BigDecimal cut(BigDecimal value, BigDecimal unit) {
        return value.divideToIntegralValue(unit).multiply(unit);
    }

    /** The largest exponent such that two to it is not more than the magnitude. */
    private static int exponent(BigDecimal magnitude) {
        int exponent = Math.getExponent(magnitude.doubleValue());
        while (power(exponent).compareTo(magnitude) > 0) {
            exponent--;
        }
        return exponent;
    }

    private static long toF32(BigDecimal sum, int kept) {
        BigDecimal magnitude = sum.abs();
        int exponent = Math.max(exponent(magnitude), -126);
        double cut = cut(magnitude, power(exponent - (exponent == -126 ? 23 : kept))).doubleValue();
        float value = exponent > 127 ? Float.POSITIVE_INFINITY : (float) cut;
        return Float.floatToRawIntBits(sum.signum() < 0 ? -value : value) & 0xFFFF_FFFFL;
    }

    private static long toF16(BigDecimal sum) {
        BigDecimal magnitude = sum.abs();
        int exponent = Math.max(exponent(magnitude), -14);
        BigDecimal unit = power(exponent - 10);
        double rounded = magnitude.divide(unit, 0, RoundingMode.HALF_EVEN).multiply(unit).doubleValue();
        float value = rounded >= 65536 ? Float.POSITIVE_INFINITY : (float) rounded;
        return Float.floatToFloat16(sum.signum() < 0 ? -value : value) & 0xFFFFL;
    }
}
