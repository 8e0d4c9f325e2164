package dev.tilewright.reference.tensor;

/**
 * Sums of products of 8-bit integers: exact, and wrapped in 32 bits, or clamped to them once at the end. Wrapping
 * measured on an H200 (native-tests/recordings).
 *
 * @param signedA whether A's elements are signed, {@code signedB} B's
 * @param saturates clamps instead of wrapping
 */
record IntegerProduct(boolean signedA, boolean signedB, boolean saturates) implements TensorProduct {

    @Override
    public void multiplyAdd(long[] a, long[] b, long[] cd, int m, int n, int k) {
        int[] rows = decoded(a, m * k, signedA);
        int[] columns = decoded(b, n * k, signedB);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                int sum = dot(rows, i * k, columns, j * k, k);
                long c = (int) cd[i * n + j];
                cd[i * n + j] = saturates ? Math.clamp(c + sum, Integer.MIN_VALUE, Integer.MAX_VALUE) : (int) c + sum;
            }
        }
    }

    /** The products alone: of 32 and many more the sum fits. */
    private static int dot(int[] a, int row, int[] b, int column, int k) {
        int sum = 0;
        for (int l = 0; l < k; l++) {
            sum += a[row + l] * b[column + l];
        }
        return sum;
    }

    private static int[] decoded(long[] words, int count, boolean signed) {
        int[] result = new int[count];
        for (int i = 0; i < count; i++) {
            result[i] = signed ? (byte) words[i] : (int) words[i] & 0xFF;
        }
        return result;
    }
}
