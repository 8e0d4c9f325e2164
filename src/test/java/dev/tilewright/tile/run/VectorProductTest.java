package dev.tilewright.tile.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.tensor.TensorCore;
import dev.tilewright.reference.tensor.TensorProduct;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Multiplication;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Loops over many elements leave the sums that {@link TensorProduct} does. */
class VectorProductTest {
    private static final int DRAWS = 60;

    /** How factors and sums are drawn. */
    private enum Sort {
        /** Any bits. */
        ANY,
        /** Numbers near 1, zeros among them. */
        MODERATE,
        /** Exponents of all that are taken, zeros among them. */
        WIDE,
        /** Exponents around the least that is taken. */
        SMALL,
        /** As large as numbers below 2 are: what is added reaches most units. */
        FULL,
        /** Near 1, but for a few infinities, NaNs and subnormal numbers. */
        SPECIAL
    }

    private final SplittableRandom random = new SplittableRandom(31);
    private int taken;
    private int left;
    private int rests;

    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"BF16, BF16, HOPPER_WGMMA", "BF16, BF16, AMPERE", "F16, F16, HOPPER_MMA_SYNC", "F16, F16, AMPERE",
            "TF32, TF32, HOPPER_WGMMA", "TF32, TF32, AMPERE", "E4M3, E5M2, HOPPER_WGMMA", "E5M2, E5M2, HOPPER_WGMMA",
            "E4M3, E4M3, HOPPER_WGMMA"})
    void sumsAreThoseOfInstructions(ValueType ofA, ValueType ofB, MatrixArithmetic arithmetic) {
        assertTrue(VectorProduct.takes(arithmetic, ofA, ValueType.F32));
        VectorProduct product = VectorProduct.of(arithmetic, ofA);
        for (int draw = 0; draw < DRAWS; draw++) {
            int m = 1 + random.nextInt(12);
            int n = 1 + random.nextInt(random.nextBoolean() ? 80 : 400);
            int k = 1 + random.nextInt(random.nextBoolean() ? 3 : 70);
            Sort all = sort();
            boolean same = random.nextInt(3) == 0 || all == Sort.FULL;
            Elements a = drawn(ofA, m * k, same ? all : sort());
            Elements b = drawn(ofB, k * n, same ? all : sort());
            Elements c = drawn(ValueType.F32, m * n, same ? all : sort());
            if (random.nextInt(4) == 0 && all != Sort.FULL) {
                c.fill(0, m * n, 0);
            }
            c.computed();
            c.settle(m * n);
            Elements wanted = new Elements(ValueType.F32, m * n);
            wanted.copy(0, c, 0, m * n);
            byInstructions(arithmetic, a, b, wanted, n, k, 0, m, 0, k);
            boolean isTaken = product.add(a, b, c.floats, m, n, k, (row, rows, first, end) -> {
                rests++;
                byInstructions(arithmetic, a, b, c, n, k, row, row + rows, first, end);
            });
            taken += isTaken ? 1 : 0;
            left += isTaken ? 0 : 1;
            for (int i = 0; i < m * n && isTaken; i++) {
                assertEquals(wanted.word(i), c.word(i), i + " of " + m + " x " + n + " x " + k);
            }
        }
        assertTrue(taken > 10 && rests > 2 && (left > 2 || ofA == ValueType.F16), taken + " " + rests + " " + left);
    }

    @ParameterizedTest
    @EnumSource(value = ValueType.class, names = {"BF16", "F16", "TF32", "E4M3", "E5M2"})
    void numbersNearOneAreAllTaken(ValueType type) {
        VectorProduct product = VectorProduct.of(MatrixArithmetic.HOPPER_WGMMA, type);
        for (int draw = 0; draw < 20; draw++) {
            int k = 1 + random.nextInt(40);
            assertTrue(product.add(drawn(type, 8 * k, Sort.MODERATE), drawn(type, k * 24, Sort.MODERATE),
                    new float[8 * 24], 8, 24, k, (_, _, _, _) -> rests++));
        }
        assertEquals(0, rests);
    }

    /** Of two products one has a zero and a large factor; the other, a tiny one, is all of the sum. */
    @Test
    void aZeroHasNoExponent() {
        Elements a = new Elements(ValueType.BF16, 2);
        Elements b = new Elements(ValueType.BF16, 2);
        a.setWord(1, 0x2B80);
        b.setWord(0, 0x5D80);
        b.setWord(1, 0x2B80);
        float[] c = new float[1];
        assertTrue(VectorProduct.of(MatrixArithmetic.HOPPER_WGMMA, ValueType.BF16).add(a, b, c, 1, 1, 2,
                (_, _, _, _) -> rests++));
        assertEquals(0, rests);
        assertEquals(0x1p-80f, c[0]);
    }

    private Sort sort() {
        return random.nextBoolean() ? Sort.MODERATE : Sort.values()[random.nextInt(Sort.values().length)];
    }

    private static void byInstructions(MatrixArithmetic arithmetic, Elements a, Elements b, Elements c, int n, int k,
            int row, int endRow, int first, int end) {
        TensorProduct product = arithmetic == MatrixArithmetic.HOPPER_WGMMA
                ? TensorProduct.wgmma(a.type, b.type, ValueType.F32, false)
                : TensorProduct.mma(a.type, b.type, ValueType.F32, false, arithmetic == MatrixArithmetic.AMPERE
                        ? TensorCore.AMPERE : TensorCore.HOPPER);
        int depth = Multiplication.depth(a.type);
        int rows = endRow - row;
        long[] sums = LongStream.range(row * n, endRow * n).map(i -> c.word((int) i)).toArray();
        for (int from = first; from < end; from += depth) {
            long[] x = new long[rows * depth];
            long[] y = new long[n * depth];
            for (int d = 0; d < Math.min(depth, end - from); d++) {
                for (int i = 0; i < rows; i++) {
                    x[i * depth + d] = a.word((row + i) * k + from + d);
                }
                for (int j = 0; j < n; j++) {
                    y[j * depth + d] = b.word((from + d) * n + j);
                }
            }
            product.multiplyAdd(x, y, sums, rows, n, depth);
        }
        for (int i = 0; i < sums.length; i++) {
            c.setWord(row * n + i, sums[i]);
        }
    }

    private Elements drawn(ValueType type, int count, Sort sort) {
        Elements elements = new Elements(type, count);
        for (int i = 0; i < count; i++) {
            elements.setWord(i, word(type, sort));
        }
        return elements;
    }

    private long word(ValueType type, Sort sort) {
        int bits = type == ValueType.TF32 ? 32 : type.bits();
        long any = random.nextLong() & -1L >>> 64 - bits;
        if (sort == Sort.ANY) {
            return any;
        }
        int fraction = switch (type) {
            case F16 -> 10;
            case BF16 -> 7;
            case E4M3 -> 3;
            case E5M2 -> 2;
            default -> 23;
        };
        int exponentBits = bits - 1 - fraction;
        int bias = (1 << exponentBits - 1) - 1;
        int spread = Math.min(sort == Sort.WIDE ? 50 : 6, bias - 1);
        boolean odd = sort == Sort.SPECIAL && random.nextInt(2000) == 0;
        long field = odd ? random.nextBoolean() ? 0 : 2L * bias + 1
                : sort == Sort.FULL ? bias
                : Math.max(1, bias + random.nextInt(-spread, spread + 1) - (sort == Sort.SMALL ? 52 : 0));
        if ((sort == Sort.MODERATE || sort == Sort.WIDE) && random.nextInt(8) == 0) {
            return any & 1L << bits - 1;
        }
        long fractionBits = sort == Sort.FULL ? (1L << fraction) - 1 - random.nextInt(2)
                : odd && random.nextBoolean() ? 0 : any & (1L << fraction) - 1;
        long sign = sort == Sort.FULL ? 0 : any & 1L << bits - 1;
        return sign | field << fraction | fractionBits;
    }
}
