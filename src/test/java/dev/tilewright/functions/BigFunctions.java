package dev.tilewright.functions;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * The functions of doubles in decimal arithmetic of 60 digits and more, by series after a reduction: what results in
 * f64 are measured against. They share nothing with the functions on values but their definitions.
 */
final class BigFunctions {
    private static final MathContext MC = new MathContext(90);
    private static final MathContext LONG = new MathContext(420);
    private static final BigDecimal TWO = BigDecimal.TWO;
    private static final BigDecimal PI = pi();
    private static final BigDecimal LN2 = ln2();

    private BigFunctions() {
    }

    static BigDecimal exp(BigDecimal x) {
        int k = x.divide(LN2, MC).setScale(0, RoundingMode.HALF_EVEN).intValueExact();
        BigDecimal r = x.subtract(LN2.multiply(BigDecimal.valueOf(k)), MC).divide(BigDecimal.valueOf(256), MC);
        BigDecimal sum = BigDecimal.ONE;
        BigDecimal term = BigDecimal.ONE;
        for (int n = 1; n < 40; n++) {
            term = term.multiply(r, MC).divide(BigDecimal.valueOf(n), MC);
            sum = sum.add(term, MC);
        }
        for (int i = 0; i < 8; i++) {
            sum = sum.multiply(sum, MC);
        }
        return sum.multiply(TWO.pow(k, MC), MC);
    }

    /** From the double logarithm on: log x = y + log(1 + t) with t = x e^-y - 1, which is tiny. */
    static BigDecimal log(double x) {
        BigDecimal y = new BigDecimal(StrictMath.log(x));
        BigDecimal t = new BigDecimal(x).multiply(exp(y.negate()), MC).subtract(BigDecimal.ONE, MC);
        BigDecimal power = t;
        BigDecimal sum = y;
        for (int n = 1; n < 8; n++) {
            BigDecimal term = power.divide(BigDecimal.valueOf(n % 2 == 0 ? -n : n), MC);
            sum = sum.add(term, MC);
            power = power.multiply(t, MC);
        }
        return sum;
    }

    static BigDecimal pow(double x, double y) {
        return exp(log(x).multiply(new BigDecimal(y), MC));
    }

    static BigDecimal rsqrt(double x) {
        return BigDecimal.ONE.divide(new BigDecimal(x).sqrt(MC), MC);
    }

    static BigDecimal tanh(double x) {
        if (Math.abs(x) < 1e-20) {
            return new BigDecimal(x);
        }
        BigDecimal e = exp(new BigDecimal(2 * x));
        return e.subtract(BigDecimal.ONE, MC).divide(e.add(BigDecimal.ONE, MC), MC);
    }

    /** The Maclaurin series; only for arguments up to 6, beyond which an error function is 1 to 53 bits. */
    static BigDecimal erf(double x) {
        BigDecimal exact = new BigDecimal(x);
        BigDecimal square = exact.multiply(exact, MC);
        BigDecimal power = exact;
        BigDecimal sum = exact;
        for (int n = 1; power.abs().compareTo(exact.abs().scaleByPowerOfTen(-60)) > 0; n++) {
            power = power.multiply(square, MC).divide(BigDecimal.valueOf(-n), MC);
            sum = sum.add(power.divide(BigDecimal.valueOf(2L * n + 1), MC), MC);
        }
        return sum.multiply(TWO, MC).divide(PI.sqrt(MC), MC);
    }

    static BigDecimal sin(double x) {
        return circular(x, 0);
    }

    static BigDecimal cos(double x) {
        return circular(x, 1);
    }

    private static BigDecimal circular(double x, int quarters) {
        BigDecimal exact = new BigDecimal(x);
        BigDecimal quarter = PI.divide(TWO, LONG);
        BigInteger n = exact.divide(quarter, LONG).setScale(0, RoundingMode.HALF_EVEN).toBigInteger();
        BigDecimal r = exact.subtract(quarter.multiply(new BigDecimal(n), LONG), LONG).round(MC);
        int turn = n.add(BigInteger.valueOf(quarters)).and(BigInteger.valueOf(3)).intValue();
        BigDecimal square = r.multiply(r, MC).negate();
        BigDecimal term = turn % 2 == 0 ? r : BigDecimal.ONE;
        BigDecimal sum = term;
        for (int k = turn % 2 == 0 ? 2 : 1; k < 80; k += 2) {
            term = term.multiply(square, MC).divide(BigDecimal.valueOf((long) k * (k + 1)), MC);
            sum = sum.add(term, MC);
        }
        return turn >= 2 ? sum.negate() : sum;
    }

    /** How many units in the last place the result lies from the exact value. */
    static double ulps(double result, BigDecimal exact) {
        if (exact.abs().compareTo(LARGEST) >= 0) {
            return Double.isInfinite(result) && Math.signum(result) == exact.signum() ? 0 : Double.POSITIVE_INFINITY;
        }
        if (Double.isNaN(result) || Double.isInfinite(result)) {
            return Double.POSITIVE_INFINITY;
        }
        return new BigDecimal(result).subtract(exact, MC).abs()
                .divide(new BigDecimal(Math.ulp(exact.doubleValue())), MC).doubleValue();
    }

    /** From here on the nearest double is an infinity. */
    private static final BigDecimal LARGEST = new BigDecimal(Double.MAX_VALUE)
            .add(new BigDecimal(Math.ulp(Double.MAX_VALUE)).divide(TWO, MC));

    private static BigDecimal pi() {
        return arctangent(5).multiply(BigDecimal.valueOf(16)).subtract(arctangent(239).multiply(BigDecimal.valueOf(4)));
    }

    /** Of one over a whole number. */
    private static BigDecimal arctangent(int inverse) {
        BigDecimal square = BigDecimal.valueOf((long) -inverse * inverse);
        BigDecimal power = BigDecimal.ONE.divide(BigDecimal.valueOf(inverse), LONG);
        BigDecimal sum = power;
        for (int n = 1; n < 320; n++) {
            power = power.divide(square, LONG);
            sum = sum.add(power.divide(BigDecimal.valueOf(2L * n + 1), LONG), LONG);
        }
        return sum;
    }

    /** log 2 = 2 artanh(1/3). */
    private static BigDecimal ln2() {
        BigDecimal power = TWO.divide(BigDecimal.valueOf(3), MC);
        BigDecimal sum = power;
        for (int n = 1; n < 110; n++) {
            power = power.divide(BigDecimal.valueOf(9), MC);
            sum = sum.add(power.divide(BigDecimal.valueOf(2L * n + 1), MC), MC);
        }
        return sum;
    }
}
