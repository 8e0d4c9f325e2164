package dev.tilewright.reference.tensor;

/**
 * One operand of a tensor-core instruction, taken apart ({@link OperandFormat}): for each k, all rows of A or columns
 * of B one behind the other, so that products are made of many at once.
 *
 * @param values finite numbers; of an infinity or a NaN a zero of its sign
 * @param exponents as {@link OperandFormat} counts them
 */
record Factors(double[][] values, int[][] exponents) {
    private static final int BIAS = 1023;
    private static final int FRACTION_BITS = 52;

    static Factors of(int depth, int vectors) {
        return new Factors(new double[depth][vectors], new int[depth][vectors]);
    }

    /** @param significand that counts units of the exponent less {@code fractionBits} */
    void set(int k, int vector, int significand, int exponent, int fractionBits) {
        boolean isFinite = exponent >= OperandFormat.LEAST && exponent <= OperandFormat.MOST;
        values[k][vector] = significand * (isFinite ? powerOfTwo(exponent - fractionBits) : 0);
        exponents[k][vector] = exponent;
    }

    boolean isNegative(int k, int vector) {
        return Double.doubleToRawLongBits(values[k][vector]) < 0;
    }

    /** @param exponent of a normal number */
    static double powerOfTwo(int exponent) {
        return Double.longBitsToDouble((long) exponent + BIAS << FRACTION_BITS);
    }
}
