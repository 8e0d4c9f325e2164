package dev.tilewright.examples;

/**
 * Matrix products computed by plain loops, which share no code with the reference: what kernels that multiply matrices
 * are held against. C[m][n] is the sum over k of A[m][k] B[k][n], where {@link #bf16} has B's columns lie in memory as
 * rows.
 */
final class DirectProducts {
    /** Products that a tensor core adds at once, of 16-bit operands. */
    private static final int STEP = 16;
    /** Fraction bits that its adder keeps below the largest term's exponent. */
    private static final int ADDER_BITS = 25;
    private static final int F32_FRACTION = 23;

    private DirectProducts() {
    }

    /**
     * In f32, by one fused multiply-add after another from k = 0 on. @param a m × k, row by row @param b k × n,
     * likewise
     */
    static float[] f32(float[] a, float[] b, int m, int n, int k) {
        float[] c = new float[m * n];
        for (int row = 0; row < m; row++) {
            for (int at = 0; at < k; at++) {
                for (int column = 0; column < n; column++) {
                    c[row * n + column] = Math.fma(a[row * k + at], b[at * n + column], c[row * n + column]);
                }
            }
        }
        return c;
    }

    /**
     * Of bf16 numbers into f32, as Hopper's tensor cores do it: 16 products and what was there before are cut to a
     * multiple of 2^-25 of the largest's power of two, added, and the sum is cut to an f32. For finite operands and
     * sums.
     *
     * @param a m × k, row by row @param b n × k, row by row
     */
    static float[] bf16(short[] a, short[] b, int m, int n, int k) {
        Numbers as = Numbers.of(a);
        Numbers bs = Numbers.of(b);
        float[] c = new float[m * n];
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                float sum = 0;
                for (int at = 0; at < k; at += STEP) {
                    sum = step(as, row * k + at, bs, column * k + at, Math.min(STEP, k - at), sum);
                }
                c[row * n + column] = sum;
            }
        }
        return c;
    }

    /** bf16 numbers taken apart. @param significands of 8 bits, with the number's sign */
    record Numbers(int[] significands, int[] exponents) {
        static Numbers of(short... bf16) {
            Numbers numbers = new Numbers(new int[bf16.length], new int[bf16.length]);
            for (int i = 0; i < bf16.length; i++) {
                int bits = bf16[i] << 16;
                int magnitude = (int) (significand(bits) >> 16);
                numbers.significands[i] = bits < 0 ? -magnitude : magnitude;
                numbers.exponents[i] = exponent(bits);
            }
            return numbers;
        }
    }

    /**
     * One step: up to 16 elements of a row of A and of a column of B, the rest zeros, and what the accumulator held.
     */
    static float step(Numbers a, int aStart, Numbers b, int bStart, int count, float c) {
        int cBits = Float.floatToRawIntBits(c);
        long cSignificand = significand(cBits);
        int cExponent = exponent(cBits);
        int largest = cSignificand == 0 ? Integer.MIN_VALUE : cExponent;
        for (int i = 0; i < count; i++) {
            if (a.significands[aStart + i] != 0 && b.significands[bStart + i] != 0) {
                largest = Math.max(largest, a.exponents[aStart + i] + b.exponents[bStart + i]);
            }
        }
        if (largest == Integer.MIN_VALUE) {
            return 0;
        }
        // In units of 2^(largest - 25); a product of two significands of 8 bits has 14 fraction bits.
        long sum = cut(cSignificand, cExponent - F32_FRACTION - (largest - ADDER_BITS), cBits < 0);
        for (int i = 0; i < count; i++) {
            int product = a.significands[aStart + i] * b.significands[bStart + i];
            int exponent = a.exponents[aStart + i] + b.exponents[bStart + i];
            sum += cut(Math.abs(product), exponent - 14 - (largest - ADDER_BITS), product < 0);
        }
        return cutToF32(sum, largest - ADDER_BITS);
    }

    /** A magnitude times 2^shift, cut towards zero, with its sign. */
    private static long cut(long magnitude, int shift, boolean negative) {
        long cut = shift >= 0 ? magnitude << shift : shift > -Long.SIZE ? magnitude >>> -shift : 0;
        return negative ? -cut : cut;
    }

    /** {@code sum} times 2^scale, cut towards zero; a subnormal where it must be. */
    private static float cutToF32(long sum, int scale) {
        long magnitude = Math.abs(sum);
        if (magnitude == 0) {
            return 0;
        }
        int exponent = 63 - Long.numberOfLeadingZeros(magnitude) + scale;
        int last = Math.max(exponent - F32_FRACTION, -149);
        long kept = cut(magnitude, scale - last, false);
        return Math.scalb((float) (sum < 0 ? -kept : kept), last);
    }

    /** With the hidden bit, 24 bits. */
    private static long significand(int bits) {
        int fraction = bits & 0x7F_FFFF;
        return (bits & 0x7F80_0000) == 0 ? fraction : fraction | 0x80_0000;
    }

    /** Of the hidden bit. */
    private static int exponent(int bits) {
        return Math.max(1, bits >> 23 & 0xFF) - 127;
    }
}
