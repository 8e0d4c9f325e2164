package dev.tilewright.tile.run;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Multiplication;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Products of short floats with sums in f32, as tensor cores make them, of many elements at once: loops over the first
 * elements of arrays, which the JIT vectorises. Each step along k finds the largest exponent of an element's products
 * and of its sum so far, cuts all of them to multiples of a unit that many bits below it, adds these as integers, and
 * cuts the result to the bits of an f32. Rows are taken together until a run is long enough to be worth a loop. It
 * takes factors and sums of moderate exponents alone, so that no product over- or underflows, and says what it left.
 */
final class VectorProduct {
    /** Elements of a run: as long as its arrays for all of a step along k stay in the second cache of a core. */
    private static final int RUN = 512;
    /** Exponents of factors that are taken: products then are normal floats. */
    private static final int LEAST_FACTOR = -50;
    private static final int MOST_FACTOR = 62;
    /** The least of sums: units of the adder, and what they are worth, then are normal floats. */
    private static final int LEAST = 2 * LEAST_FACTOR;
    /** The exponent of a zero: below all others, with any other added to it. */
    private static final int ZERO = -4096;
    private static final int BIAS = 127;
    private static final int FRACTION = 23;
    private static final ValueLayout.OfInt BITS = ValueLayout.JAVA_INT_UNALIGNED;
    private static final float[] E4M3 = e4m3();

    private final int adderBits;
    /** Bits of a sum that are kept. */
    private final int significant;
    /** Products that are added at once. */
    private final int depth;
    private Factors a = new Factors(0);
    private Factors b = new Factors(0);
    private Run run = Run.of(0, 0);

    /** A matrix of factors. @param exponents that the adder sees: of a subnormal number the least normal one */
    private record Factors(float[] values, int[] exponents) {
        Factors(int count) {
            this(new float[count], new int[count]);
        }
    }

    /**
     * Elements that are computed together: some rows.
     *
     * @param a for each k of a step, the factor of each element from A
     * @param b those from B
     * @param exponents those of a row of B
     * @param row the largest exponents of a row's products
     * @param units how many units of the adder are 1
     * @param back their reciprocals
     */
    private record Run(float[][] a, float[][] b, int[][] exponents, float[] c, int[] row, int[] largest, int[] sums,
            float[] units, float[] back, MemorySegment bitsOfC, MemorySegment bitsOfUnits, MemorySegment bitsOfBack) {
        static Run of(int depth, int length) {
            float[] c = new float[length];
            float[] units = new float[length];
            float[] back = new float[length];
            return new Run(new float[depth][length], new float[depth][length], new int[depth][length], c,
                    new int[length], new int[length], new int[length], units, back, MemorySegment.ofArray(c),
                    MemorySegment.ofArray(units), MemorySegment.ofArray(back));
        }
    }

    private VectorProduct(int adderBits, int significant, int depth) {
        this.adderBits = adderBits;
        this.significant = significant;
        this.depth = depth;
    }

    /** Whether there is one for these types. */
    static boolean takes(MatrixArithmetic arithmetic, ValueType factors, ValueType sums) {
        return sums == ValueType.F32 && switch (factors) {
            case F16, BF16, TF32 -> true;
            case E4M3, E5M2 -> arithmetic == MatrixArithmetic.HOPPER_WGMMA;
            default -> false;
        };
    }

    /** For operands that it takes. */
    static VectorProduct of(MatrixArithmetic arithmetic, ValueType type) {
        int depth = Multiplication.depth(type);
        return switch (type) {
            case E4M3, E5M2 -> new VectorProduct(13, 14, depth);
            default -> arithmetic == MatrixArithmetic.AMPERE ? new VectorProduct(24, 24, depth / 2)
                    : new VectorProduct(25, 24, depth);
        };
    }

    /** What takes rows of which a sum so far has an exponent that is not taken. */
    interface Rest {
        /** Adds the products of some k to some rows. */
        void add(int firstRow, int rows, int firstK, int endK);
    }

    /**
     * {@code c += a b}, or nothing.
     *
     * @param left m rows of k
     * @param right k rows of n
     * @param c m rows of n
     * @return whether the factors are taken
     */
    boolean add(Elements left, Elements right, float[] c, int m, int n, int k, Rest rest) {
        if (m == 0 || n == 0) {
            return true;
        }
        a = a.values.length < m * k ? new Factors(m * k) : a;
        b = b.values.length < k * n ? new Factors(k * n) : b;
        if (!decode(left, a) || !decode(right, b)) {
            return false;
        }
        int together = Math.clamp(RUN / n, 1, m);
        if (run.c.length < together * n) {
            run = Run.of(depth, together * n);
        }
        for (int first = 0; first < k; first += depth) {
            int there = Math.min(depth, k - first);
            for (int d = 0; d < there; d++) {
                for (int i = 0; i < together; i++) {
                    System.arraycopy(b.values, (first + d) * n, run.b[d], i * n, n);
                }
                System.arraycopy(b.exponents, (first + d) * n, run.exponents[d], 0, n);
            }
            for (int row = 0; row < m; row += together) {
                int rows = Math.min(together, m - row);
                for (int i = 0; i < rows; i++) {
                    int at = (row + i) * k + first;
                    for (int d = 0; d < there; d++) {
                        Arrays.fill(run.a[d], i * n, i * n + n, a.values[at + d]);
                    }
                    largest(at, there, n);
                    System.arraycopy(run.row, 0, run.largest, i * n, n);
                }
                System.arraycopy(c, row * n, run.c, 0, rows * n);
                if (step(there, rows * n)) {
                    System.arraycopy(run.c, 0, c, row * n, rows * n);
                } else {
                    rest.add(row, rows, first, first + there);
                }
            }
        }
        return true;
    }

    // ---- factors

    /** Takes numbers apart. @return whether their exponents are taken */
    private static boolean decode(Elements of, Factors to) {
        int n = of.count();
        MemorySegment bits = MemorySegment.ofArray(to.values);
        switch (of.type) {
            case BF16 -> {
                for (int i = 0; i < n; i++) {
                    bits.set(BITS, 4L * i, of.ints[i] << 16);
                }
            }
            case F16 -> {
                for (int i = 0; i < n; i++) {
                    to.values[i] = Float.float16ToFloat((short) of.ints[i]);
                }
            }
            case E5M2 -> {
                for (int i = 0; i < n; i++) {
                    to.values[i] = Float.float16ToFloat((short) (of.ints[i] << 8));
                }
            }
            case E4M3 -> {
                for (int i = 0; i < n; i++) {
                    to.values[i] = E4M3[of.ints[i] & 0xFF];
                }
            }
            default -> {
                MemorySegment from = MemorySegment.ofArray(of.floats);
                for (int i = 0; i < n; i++) {
                    bits.set(BITS, 4L * i, from.get(BITS, 4L * i) & -1 << 13);
                }
            }
        }
        return exponents(bits, to.exponents, n, switch (of.type) {
            case F16, E5M2 -> -14;
            case E4M3 -> -6;
            default -> -126;
        });
    }

    /** @param least of a normal number */
    private static boolean exponents(MemorySegment floats, int[] exponents, int n, int least) {
        int left = 0;
        for (int i = 0; i < n; i++) {
            int bits = floats.get(BITS, 4L * i) & Integer.MAX_VALUE;
            int exponent = Math.max((bits >>> FRACTION) - BIAS, least);
            int isThere = -bits >> 31;
            left |= isThere & exponent - LEAST_FACTOR | MOST_FACTOR - exponent;
            exponents[i] = exponent & isThere | ZERO & ~isThere;
        }
        return left >= 0;
    }

    private static float[] e4m3() {
        float[] values = new float[256];
        for (int i = 0; i < values.length; i++) {
            int field = i >> 3 & 15;
            float magnitude = (i & 0x7F) == 0x7F ? Float.NaN
                    : Math.scalb((float) (field == 0 ? i & 7 : i & 7 | 8), Math.max(field, 1) - 10);
            values[i] = i < 128 ? magnitude : -magnitude;
        }
        return values;
    }

    // ---- a step along k

    /** Computes the run's sums. @return whether all are taken; else they are of no use */
    private boolean step(int there, int n) {
        int left = exponentsOfSums(run.bitsOfC, run.largest, n);
        powers(run.bitsOfUnits, run.largest, -1, adderBits, n);
        powers(run.bitsOfBack, run.largest, 1, -adderBits, n);
        Arrays.fill(run.sums, 0, n, 0);
        for (int d = 0; d < there; d++) {
            addProducts(run.sums, run.a[d], run.b[d], run.units, n);
        }
        left |= addSums(run.sums, run.c, run.units, n);
        cut(run.sums, significant, n);
        for (int j = 0; j < n; j++) {
            run.c[j] = run.sums[j] * run.back[j];
        }
        return left >= 0;
    }

    /** @return less than 0 where one is an infinity, a NaN, or too small */
    private static int exponentsOfSums(MemorySegment sums, int[] exponents, int n) {
        int left = 0;
        for (int j = 0; j < n; j++) {
            int bits = sums.get(BITS, 4L * j) & Integer.MAX_VALUE;
            int field = bits >>> FRACTION;
            left |= 254 - field | field - (LEAST + BIAS) & -bits;
            exponents[j] = Math.max(exponents[j], field - BIAS);
        }
        return left;
    }

    /** Finds the largest exponents of a row's products. @param at of its first factor in A */
    private void largest(int at, int there, int n) {
        Arrays.fill(run.row, 0, n, LEAST);
        int[] of = a.exponents;
        for (int d = 0; d < there; d += 4) {
            int e = Math.min(d + 1, there - 1);
            int f = Math.min(d + 2, there - 1);
            int g = Math.min(d + 3, there - 1);
            largest(run.row, of[at + d], run.exponents[d], of[at + e], run.exponents[e], of[at + f], run.exponents[f],
                    of[at + g], run.exponents[g], n);
        }
    }

    /** Of four products each. */
    private static void largest(int[] largest, int a, int[] b, int c, int[] d, int e, int[] f, int g, int[] h, int n) {
        for (int j = 0; j < n; j++) {
            largest[j] = Math.max(Math.max(largest[j], Math.max(a + b[j], c + d[j])),
                    Math.max(e + f[j], g + h[j]));
        }
    }

    /** 2 to the power of {@code sign * exponents + more}. */
    private static void powers(MemorySegment powers, int[] exponents, int sign, int more, int n) {
        for (int j = 0; j < n; j++) {
            powers.set(BITS, 4L * j, sign * exponents[j] + more + BIAS << FRACTION);
        }
    }

    /** A cast cuts towards zero. All products of a step have together less than 2^31 units. */
    private static void addProducts(int[] sums, float[] a, float[] b, float[] units, int n) {
        for (int j = 0; j < n; j++) {
            sums[j] += (int) (a[j] * b[j] * units[j]);
        }
    }

    /** @return less than 0 where a sum has 2^31 units or more */
    private static int addSums(int[] sums, float[] c, float[] units, int n) {
        int left = 0;
        for (int j = 0; j < n; j++) {
            int x = (int) (c[j] * units[j]);
            int y = sums[j];
            int sum = x + y;
            left |= (sum ^ x) & (sum ^ y);
            sums[j] = sum;
        }
        return left;
    }

    /** Cuts towards zero what is behind the first bits; there are at most 8 more. */
    private static void cut(int[] sums, int significant, int n) {
        for (int j = 0; j < n; j++) {
            int sign = sums[j] >> 31;
            int magnitude = (sums[j] ^ sign) - sign;
            int behind = magnitude >>> significant;
            behind |= behind >>> 1;
            behind |= behind >>> 2;
            behind |= behind >>> 4;
            sums[j] = (magnitude & ~behind ^ sign) - sign;
        }
    }
}
