package dev.tilewright.reference.tensor;

import dev.tilewright.layout.FloatBits;

/**
 * Sums of products of binary64 numbers: a chain of fused multiply-adds, k ascending, that starts with C. A NaN among a
 * step's numbers comes through quieted, B's before C's before A's; an invalid operation makes
 * {@link FloatBits#NAN_OF_INFINITIES}. Measured on an H200 for m8n8k4 (native-tests/recordings).
 */
record DoubleProduct() implements TensorProduct {
    private static final long QUIET = 1L << 51;

    @Override
    public void multiplyAdd(long[] a, long[] b, long[] cd, int m, int n, int k) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                long sum = cd[i * n + j];
                for (int l = 0; l < k; l++) {
                    sum = step(a[i * k + l], b[j * k + l], sum);
                }
                cd[i * n + j] = sum;
            }
        }
    }

    private static long step(long a, long b, long c) {
        double result = Math.fma(Double.longBitsToDouble(a), Double.longBitsToDouble(b), Double.longBitsToDouble(c));
        return Double.isNaN(result) ? nan(a, b, c) : Double.doubleToRawLongBits(result);
    }

    private static long nan(long a, long b, long c) {
        if (Double.isNaN(Double.longBitsToDouble(b))) {
            return b | QUIET;
        }
        if (Double.isNaN(Double.longBitsToDouble(c))) {
            return c | QUIET;
        }
        return Double.isNaN(Double.longBitsToDouble(a)) ? a | QUIET : FloatBits.NAN_OF_INFINITIES;
    }
}
