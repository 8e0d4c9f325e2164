package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Weights of 4 and 8 bits: the product is that of the weights that they stand for. */
class QuantisedGemmTest {
    /** Of k. */
    private static final int PARTS = 8;

    @ParameterizedTest
    @OrdinaryShare(4)
    @CsvSource({"BF16, 4, 64, false, 3, 70, 130", "F16, 4, 32, true, 70, 5, 64", "BF16, 8, 48, true, 17, 66, 100",
        "F16, 8, 128, false, 1, 64, 130",
        "BF16, 4, 128, false, 1, 65, 1152", "BF16, 4, 128, false, 19, 40, 136", "F16, 4, 64, false, 3, 129, 520",
        "BF16, 4, 256, false, 9, 96, 2048", "BF16, 8, 128, false, 5, 70, 1040", "F16, 8, 64, false, 16, 64, 640",
        "BF16, 8, 64, false, 66, 33, 384"})
    void isTheProductOfWhatTheyStandFor(ValueType type, int bits, int group, boolean zeros, int m, int n, int k) {
        int groups = Math.ceilDiv(k, group);
        double[] a = KernelRun.normal(type, m * k, 1);
        double[] scales = KernelRun.normal(type, n * groups, 2);
        double[] zero = new Random(3).ints(n * groups, 0, 1 << bits).asDoubleStream().toArray();
        // q of each n and of all places of whole groups.
        int[] q = new Random(4).ints(n * groups * group, bits == 8 && !zeros ? -128 : 0, bits == 4 ? 16
                : zeros ? 256 : 128).toArray();
        QuantisedGemm gemm = QuantisedGemm.of(type, bits, group);
        KernelRun run = new KernelRun((zeros ? gemm.withZeros() : gemm).kernel()).set("a", a, m, k)
                .set("scales", scales, n, groups).out("c", m, n);
        if (zeros) {
            run.set("zeros", zero, n, groups);
        }
        if (bits == 4) {
            int half = group / 2;
            double[] b = new double[n * groups * half];
            for (int i = 0; i < b.length; i++) {
                int first = i / half * group + i % half;
                b[i] = q[first] + 16 * q[first + half];
            }
            run.set("b", b, n, (long) groups * half);
        } else {
            double[] b = new double[n * k];
            for (int i = 0; i < b.length; i++) {
                b[i] = q[i / k * groups * group + i % k];
            }
            run.set("b", b, n, k);
        }
        float[] sums = new float[m * n];
        int ofPart = Math.ceilDiv(groups, PARTS);
        for (int part = 0; part < PARTS; part++) {
            float[] partSums = new float[m * n];
            for (int g = part * ofPart; g < Math.min(groups, (part + 1) * ofPart); g++) {
                int first = g * group;
                double[] left = new double[m * group];
                double[] right = new double[n * group];
                for (int i = 0; i < left.length; i++) {
                    left[i] = first + i % group < k ? a[i / group * k + first + i % group] : 0;
                }
                for (int i = 0; i < right.length; i++) {
                    int number = i / group * groups + g;
                    right[i] = q[number * group + i % group] - (zeros ? zero[number] : bits == 4 ? 8 : 0);
                }
                double[] block = product(type, left, right, m, n, group);
                for (int i = 0; i < block.length; i++) {
                    partSums[i] = Math.fma((float) block[i], (float) scales[i % n * groups + g], partSums[i]);
                }
            }
            for (int i = 0; i < sums.length; i++) {
                sums[i] = part == 0 ? partSums[i] : sums[i] + partSums[i];
            }
        }
        double[] expected = new double[sums.length];
        Arrays.setAll(expected, i -> KernelRun.rounded(type, sums[i]));
        assertArrayEquals(expected, run.run().numbers("c"));
    }

    /** Sums of f32 of the product with a matrix's transpose. */
    private static double[] product(ValueType type, double[] a, double[] b, int m, int n, int k) {
        return new KernelRun(TileKernel.of("product", t -> {
            Dim rows = t.dim("m"), columns = t.dim("n"), depth = t.dim("k");
            Tensor left = t.in("a", type, rows, depth), right = t.in("b", type, columns, depth);
            Tensor c = t.out("c", ValueType.F32, rows, columns);
            t.forEachTile(c, 16, 16, at -> c.store(at, t.fold(t.zeros(ValueType.F32, 16, 16), t.steps(depth, 16),
                    (sum, i) -> sum.mma(left.tile(at.row(), i), right.tile(at.column(), i).transposed()))));
        })).set("a", a, m, k).set("b", b, n, k).out("c", m, n).runOnCpu().numbers("c");
    }

    @ParameterizedTest
    @CsvSource({"BF16, 4, 32", "F16, 8, 16", "BF16, 8, 64"})
    void quantisesByTheGreatestOfAGroup(ValueType type, int bits, int group) {
        int n = 5;
        int k = 3 * group - 7;
        int groups = 3;
        double[] w = KernelRun.normal(type, n * k, bits);
        Arrays.fill(w, 0, group, 0);
        KernelRun run = new KernelRun(QuantisedGemm.of(type, bits, group).quantising()).set("w", w, n, k)
                .out("b", n, bits == 4 ? groups * group / 2L : k).out("scales", n, groups).run();
        double[] scales = run.numbers("scales");
        double[] b = run.numbers("b");
        int most = (1 << bits - 1) - 1;
        for (int i = 0; i < w.length; i++) {
            int row = i / k;
            int at = i % k;
            double greatest = 0;
            for (int j = at / group * group; j < Math.min(k, (at / group + 1) * group); j++) {
                greatest = Math.max(greatest, Math.abs(w[row * k + j]));
            }
            double scale = KernelRun.rounded(type, (float) greatest / most);
            assertEquals(scale, scales[row * groups + at / group]);
            double wanted = scale == 0 ? 0 : Math.clamp(Math.rint((float) w[i] / (float) scale), -most - 1.0, most);
            double got;
            if (bits == 4) {
                int half = group / 2;
                int in = at % group;
                int packed = (int) b[(row * groups + at / group) * half + in % half];
                got = (in < half ? packed & 15 : packed >> 4) - 8;
            } else {
                got = b[i];
            }
            assertEquals(wanted, got, 0.0, "weight " + i);
        }
    }

    @Test
    void groupsThatDoNotFitAreRefused() {
        assertEquals("a group of weights of 4 bits is a multiple of 32, whole steps of tensor cores, got 48",
                assertThrows(IllegalArgumentException.class, () -> QuantisedGemm.of(ValueType.BF16, 4, 48))
                        .getMessage());
        assertEquals("weights have 4 or 8 bits, got 5", assertThrows(IllegalArgumentException.class, () ->
                QuantisedGemm.of(ValueType.BF16, 5, 48)).getMessage());
        KernelRun run = new KernelRun(QuantisedGemm.of(ValueType.BF16, 4, 32).kernel()).set("a", new double[70], 1, 70)
                .set("b", new double[35], 1, 35).set("scales", new double[3], 1, 3).out("c", 1, 1);
        assertEquals("kernel 'gemm_w4': dimension 'ceil(k/32)*16' is 35 in tensor 'b', and the kernel's is 48 where "
                + "k = 70", assertThrows(IllegalArgumentException.class, run::run).getMessage());
    }
}
