package dev.tilewright.reference.tensor;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.value.ValueType;

/**
 * Sums of products of short floating-point numbers, as the tensor cores of an H200 were measured to make them
 * (native-tests/recordings):
 * <ol>
 * <li>A NaN among the operands, infinity times zero, or infinities of both signs among the products and C make a NaN;
 * otherwise an infinity among them is the result.</li>
 * <li>Each product is exact. The largest of the exponents of non-zero products (the sum of their factors', not
 * normalised) and of a non-zero C, less {@code adderBits}, is the unit; every term is cut towards zero to a multiple of
 * it.</li>
 * <li>The terms are added exactly. The sum is rounded once ({@link ResultFormat}); a result of zero is +0.</li>
 * </ol>
 * An instruction may do so several times in a row, each with a part of K.
 */
final class FloatProduct implements TensorProduct {
    private static final int SHORT_8_BITS = 13;

    private final OperandFormat a;
    private final OperandFormat b;
    private final ResultFormat result;
    private final int adderBits;
    /** Fraction bits of an f32 result that are not zero. */
    private final int kept;
    private final boolean expanded;
    private final TensorCore core;

    private FloatProduct(OperandFormat a, OperandFormat b, ResultFormat result, int adderBits, int kept,
            boolean expanded, TensorCore core) {
        this.a = a;
        this.b = b;
        this.result = result;
        this.adderBits = adderBits;
        this.kept = kept;
        this.expanded = expanded;
        this.core = core;
    }

    /** Instructions of f16, bf16 and tf32. */
    static FloatProduct plain(OperandFormat a, OperandFormat b, ValueType result, TensorCore core) {
        if (a != b) {
            throw new IllegalArgumentException("tensor cores multiply " + a + " with " + a + ", not with " + b);
        }
        if (result == ValueType.F16 && a != OperandFormat.F16) {
            throw new IllegalArgumentException("products of " + a + " are added in f32, not in f16");
        }
        return new FloatProduct(a, b, format(result), core.adderBits(), 23, false, core);
    }

    /** wgmma of e4m3 and e5m2: 13 bits reach the adder, and 13 of the fraction come out of it. */
    static FloatProduct short8(OperandFormat a, OperandFormat b, ValueType result) {
        eightBits(a, b);
        return new FloatProduct(a, b, format(result), SHORT_8_BITS, SHORT_8_BITS, false, TensorCore.HOPPER);
    }

    /**
     * mma.sync of e4m3 and e5m2, which on sm_90 ptxas makes of two instructions of f16: operands become f16 (so that a
     * subnormal e4m3 counts with its own exponent), the elements with k mod 4 in {0, 1} come first, starting from zero,
     * then the others, starting from that, and C is added to the result as one f32 or f16.
     */
    static FloatProduct expanded(OperandFormat a, OperandFormat b, ValueType result, TensorCore core) {
        eightBits(a, b);
        return new FloatProduct(a, b, format(result), core.adderBits(), 23, true, core);
    }

    private static void eightBits(OperandFormat a, OperandFormat b) {
        if (b != OperandFormat.E4M3 && b != OperandFormat.E5M2) {
            throw new IllegalArgumentException("tensor cores multiply " + a + " with e4m3 or e5m2, not with " + b);
        }
    }

    private static ResultFormat format(ValueType result) {
        return switch (result) {
            case F32 -> ResultFormat.F32;
            case F16 -> ResultFormat.F16;
            default -> throw new IllegalArgumentException("tensor cores add products of floats in f32 or f16, not in "
                    + result);
        };
    }

    @Override
    public void multiplyAdd(long[] aWords, long[] bWords, long[] cd, int m, int n, int k) {
        int[] order = order(k);
        Factors as = (expanded ? OperandFormat.F16 : a).decode(expanded ? a.widened(aWords, m * k) : aWords, m, k,
                order);
        Factors bs = (expanded ? OperandFormat.F16 : b).decode(expanded ? b.widened(bWords, n * k) : bWords, n, k,
                order);
        int together = expanded ? k / 2 : core.depth(a.bits(), k);
        long mask = result == ResultFormat.F16 ? 0xFFFFL : 0xFFFF_FFFFL;
        Row row = new Row(n);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                row.words[j] = expanded ? 0 : (int) cd[i * n + j];
            }
            for (int first = 0; first < k; first += together) {
                dots(as, i, bs, first, first + together, row);
            }
            for (int j = 0; j < n; j++) {
                cd[i * n + j] = (expanded ? added(row.words[j], (int) cd[i * n + j]) : row.words[j]) & mask;
            }
        }
    }

    /**
     * A row of C and what is made of it.
     *
     * @param words of C, and afterwards of D
     * @param largest exponent of a term
     * @param units how many units of the adder are 1
     * @param sums in these units
     */
    private record Row(int[] words, int[] largest, double[] units, double[] sums) {
        Row(int n) {
            this(new int[n], new int[n], new double[n], new double[n]);
        }
    }

    /** Where the k-th element goes to among those of its row. */
    private int[] order(int k) {
        int[] order = new int[k];
        for (int i = 0; i < k; i++) {
            order[i] = expanded ? (i & 2) * (k / 4) + i / 4 * 2 + (i & 1) : i;
        }
        return order;
    }

    private int added(int sum, int c) {
        if (result == ResultFormat.F16) {
            return (int) FloatBits.toF16(FloatBits.f16(sum) + FloatBits.f16(c));
        }
        return (int) FloatBits.addF32(sum, c);
    }

    /**
     * Adds the products of a row of A, those of some k, to a row of C: element by element, so that many are made at
     * once.
     */
    private void dots(Factors as, int i, Factors bs, int first, int end, Row row) {
        largestExponents(as, i, bs, first, end, row);
        int n = row.words.length;
        for (int j = 0; j < n; j++) {
            int largest = Math.clamp(row.largest[j], OperandFormat.LEAST / 2, OperandFormat.MOST / 2);
            row.units[j] = Factors.powerOfTwo(adderBits - largest);
            row.sums[j] = cTerm(row.words[j], row.largest[j] - result.exponent(row.words[j]));
        }
        for (int k = first; k < end; k++) {
            addProducts(as.values()[k][i], bs.values()[k], row.units, row.sums);
        }
        for (int j = 0; j < n; j++) {
            int largest = row.largest[j];
            if (largest > OperandFormat.MOST) {
                row.words[j] = special(as, i, bs, j, first, end, row.words[j]);
            } else {
                long sum = largest < OperandFormat.LEAST ? 0 : (long) row.sums[j];
                row.words[j] = sum == 0 ? 0 : result.round(sum, largest - adderBits, kept);
            }
        }
    }

    private void largestExponents(Factors as, int i, Factors bs, int first, int end, Row row) {
        int[] largest = row.largest;
        for (int j = 0; j < largest.length; j++) {
            largest[j] = result.exponent(row.words[j]);
        }
        for (int k = first; k < end; k++) {
            int a = as.exponents()[k][i];
            int[] b = bs.exponents()[k];
            for (int j = 0; j < largest.length; j++) {
                largest[j] = Math.max(largest[j], a + b[j]);
            }
        }
    }

    /**
     * Adds products that are cut towards zero, as a cast does it: none reaches 2 to the power of {@code adderBits + 2}
     * units. All else is exact.
     */
    private static void addProducts(double a, double[] b, double[] units, double[] sums) {
        for (int j = 0; j < sums.length; j++) {
            sums[j] += (int) (a * b[j] * units[j]);
        }
    }

    /** C in units of the adder, cut towards zero. */
    private long cTerm(int c, int below) {
        int significand = result.significand(c);
        long magnitude = (long) Math.abs(significand) << adderBits >> Math.min(62, result.fractionBits() + below);
        return significand < 0 ? -magnitude : magnitude;
    }

    /** What comes of infinities and NaNs. */
    private int special(Factors as, int i, Factors bs, int j, int first, int end, int c) {
        int cExponent = result.exponent(c);
        boolean nan = cExponent == OperandFormat.NAN;
        boolean positive = false;
        boolean negative = false;
        if (cExponent == OperandFormat.INFINITY) {
            negative = result.significand(c) < 0;
            positive = !negative;
        }
        for (int k = first; k < end && !nan; k++) {
            int a = as.exponents()[k][i];
            int b = bs.exponents()[k][j];
            if (a + b <= OperandFormat.MOST) {
                continue;
            }
            nan = a == OperandFormat.NAN || b == OperandFormat.NAN || a == OperandFormat.ZERO
                    || b == OperandFormat.ZERO;
            boolean minus = as.isNegative(k, i) != bs.isNegative(k, j);
            negative |= minus;
            positive |= !minus;
        }
        return nan || negative && positive ? result.nan() : result.infinity(negative);
    }
}
