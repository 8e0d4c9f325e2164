package dev.tilewright.functions;

/**
 * The functions in doubles, by StrictMath and, where it has none, by a series and a continued fraction: what results in
 * f32 are measured against. Their own errors are some 10^-13 of a result at most, that is 10^-6 of a float's last
 * place.
 */
final class DoubleFunctions {
    private static final double SQRT_PI = StrictMath.sqrt(Math.PI);

    private DoubleFunctions() {
    }

    static double exp2(double x) {
        return StrictMath.pow(2, x);
    }

    static double log2(double x) {
        return StrictMath.log(x) / StrictMath.log(2);
    }

    static double rsqrt(double x) {
        return 1 / StrictMath.sqrt(x);
    }

    static double sigmoid(double x) {
        return 1 / (1 + StrictMath.exp(-x));
    }

    static double silu(double x) {
        return x < -700 ? -0.0 : x / (1 + StrictMath.exp(-x));
    }

    static double erf(double x) {
        double size = Math.abs(x);
        return size < 1.5 ? series(x) : Math.copySign(1 - complement(size), x);
    }

    static double gelu(double x) {
        if (x < -17 || x > 9) {
            return x < 0 ? -0.0 : x;
        }
        double t = x * -StrictMath.sqrt(0.5);
        return x * 0.5 * (t < 1.5 ? 1 - series(t) : complement(t));
    }

    static double geluTanh(double x) {
        double u = StrictMath.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x);
        return x < -20 ? -0.0 : x / (1 + StrictMath.exp(-2 * u));
    }

    static double pow(double x, double y) {
        return x == 1 || x == -1 && Double.isInfinite(y) ? 1 : StrictMath.pow(x, y);
    }

    /** erf x = 2/sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...), whose terms have one sign. */
    private static double series(double x) {
        double term = x;
        double sum = x;
        for (int k = 3; Math.abs(term) > 1e-18 * Math.abs(sum); k += 2) {
            term *= 2 * x * x / k;
            sum += term;
        }
        return 2 / SQRT_PI * StrictMath.exp(-x * x) * sum;
    }

    /** 1 - erf x of an x from 1.5 on, by the continued fraction x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...))). */
    private static double complement(double x) {
        double fraction = x;
        for (int k = (int) (20 + 300 / (x * x)); k > 0; k--) {
            fraction = x + k / 2.0 / fraction;
        }
        return StrictMath.exp(-x * x) / (SQRT_PI * fraction);
    }

    /**
     * How many units in the last place of a float the result lies from the exact value; a NaN may only be for a NaN.
     */
    static double ulps(float result, double exact) {
        if (Double.isNaN(exact) || Float.isNaN(result)) {
            return Double.isNaN(exact) && Float.isNaN(result) ? 0 : Double.POSITIVE_INFINITY;
        }
        if (exact == 0 || Double.isInfinite(exact)) {
            return result == exact && (exact != 0 || Math.copySign(1, result) == Math.copySign(1, exact))
                    ? 0 : Math.abs(result) == 0 ? Double.POSITIVE_INFINITY : Math.abs(result) / Float.MIN_VALUE;
        }
        double size = Math.abs(exact);
        double ulp = size >= 0x1p128 ? 0x1p104 : Math.max(Math.scalb(1.0, Math.getExponent(size) - 23), 0x1p-149);
        if (Float.isInfinite(result)) {
            return size >= 0x1.ffffffp127 && result > 0 == exact > 0 ? 0 : Math.abs(size - 0x1p128) / ulp;
        }
        return Math.abs(result - exact) / ulp;
    }
}
