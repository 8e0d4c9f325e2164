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
 * <li>The terms are added exactly. A sum of zero is +0; any other is rounded once ({@link ResultFormat}).</li>
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
        int[] aSignificands = new int[m * k];
        int[] aExponents = new int[m * k];
        int[] bSignificands = new int[n * k];
        int[] bExponents = new int[n * k];
        // Products count units of the adder from here on: those of the largest exponent are shifted by nothing.
        OperandFormat aFormat = expanded ? OperandFormat.F16 : a;
        OperandFormat bFormat = expanded ? OperandFormat.F16 : b;
        int lift = adderBits - aFormat.fractionBits() - bFormat.fractionBits();
        aFormat.decode(expanded ? a.widened(aWords, m * k) : aWords, m, k, order, lift, aSignificands, aExponents);
        bFormat.decode(expanded ? b.widened(bWords, n * k) : bWords, n, k, order, 0, bSignificands, bExponents);
        int together = expanded ? k / 2 : core.depth(a.bits(), k);
        long mask = result == ResultFormat.F16 ? 0xFFFFL : 0xFFFF_FFFFL;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                int c = (int) cd[i * n + j];
                int sum = expanded ? 0 : c;
                for (int first = 0; first < k; first += together) {
                    sum = dot(aSignificands, aExponents, i * k + first, bSignificands, bExponents, j * k + first,
                            together, sum);
                }
                cd[i * n + j] = (expanded ? added(sum, c) : sum) & mask;
            }
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

    private int dot(int[] as, int[] ae, int row, int[] bs, int[] be, int column, int count, int c) {
        int cExponent = result.exponent(c);
        int largest = cExponent;
        for (int l = 0; l < count; l++) {
            largest = Math.max(largest, ae[row + l] + be[column + l]);
        }
        if (largest > OperandFormat.MOST) {
            return special(as, ae, row, bs, be, column, count, c);
        }
        if (largest < OperandFormat.LEAST) {
            return 0;
        }
        long sum = cTerm(c, largest - cExponent);
        for (int l = 0; l < count; l++) {
            int product = as[row + l] * bs[column + l];
            int sign = product >> 31;
            int shift = Math.min(31, largest - ae[row + l] - be[column + l]);
            sum += ((product ^ sign) - sign >> shift ^ sign) - sign;
        }
        return sum == 0 ? 0 : result.round(sum, largest - adderBits, kept);
    }

    /** C in units of the adder, cut towards zero. */
    private long cTerm(int c, int below) {
        int significand = result.significand(c);
        long magnitude = (long) Math.abs(significand) << adderBits >> Math.min(62, result.fractionBits() + below);
        return significand < 0 ? -magnitude : magnitude;
    }

    /** What comes of infinities and NaNs. */
    private int special(int[] as, int[] ae, int row, int[] bs, int[] be, int column, int count, int c) {
        int cExponent = result.exponent(c);
        boolean nan = cExponent == OperandFormat.NAN;
        boolean positive = false;
        boolean negative = false;
        if (cExponent == OperandFormat.INFINITY) {
            negative = result.significand(c) < 0;
            positive = !negative;
        }
        for (int l = 0; l < count && !nan; l++) {
            int a = ae[row + l];
            int b = be[column + l];
            if (a + b <= OperandFormat.MOST) {
                continue;
            }
            nan = a == OperandFormat.NAN || b == OperandFormat.NAN || a == OperandFormat.ZERO
                    || b == OperandFormat.ZERO;
            boolean minus = as[row + l] < 0 != bs[column + l] < 0;
            negative |= minus;
            positive |= !minus;
        }
        return nan || negative && positive ? result.nan() : result.infinity(negative);
    }
}
