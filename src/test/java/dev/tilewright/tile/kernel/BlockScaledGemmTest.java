package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products of e4m3 whose blocks are added in f32. */
class BlockScaledGemmTest {
    private static final int BLOCK = BlockScaledGemm.BLOCK;

    /** Blocks' products are those of the plain kernel; scales and sums are floats of Java's. */
    @ParameterizedTest
    @CsvSource({"F32, 3, 130, 300", "BF16, 70, 20, 128"})
    void addsScaledBlocks(ValueType result, int m, int n, int k) {
        int blocks = Math.ceilDiv(k, BLOCK);
        int columns = Math.ceilDiv(n, BLOCK);
        double[] a = KernelRun.normal(ValueType.E4M3, m * k, 1);
        double[] b = KernelRun.normal(ValueType.E4M3, n * k, 2);
        double[] ofA = KernelRun.normal(ValueType.F32, m * blocks, 3);
        double[] ofB = KernelRun.normal(ValueType.F32, columns * blocks, 4);
        float[] sums = new float[m * n];
        for (int block = 0; block < blocks; block++) {
            int deep = Math.min(BLOCK, k - block * BLOCK);
            double[] product = new KernelRun(Gemm.of(ValueType.E4M3).withTransposedB().withResult(ValueType.F32)
                    .kernel()).set("a", part(a, k, block, deep), m, deep).set("b", part(b, k, block, deep), n, deep)
                    .out("c", m, n).runOnCpu().numbers("c");
            for (int i = 0; i < sums.length; i++) {
                float scale = (float) ofA[i / n * blocks + block]
                        * (float) ofB[i % n / BLOCK * blocks + block];
                sums[i] = Math.fma((float) product[i], scale, sums[i]);
            }
        }
        double[] wanted = new double[sums.length];
        Arrays.setAll(wanted, i -> KernelRun.rounded(result, sums[i]));
        assertArrayEquals(wanted, new KernelRun(BlockScaledGemm.of(result).kernel()).set("a", a, m, k)
                .set("a_scales", ofA, m, blocks).set("b", b, n, k).set("b_scales", ofB, columns, blocks)
                .out("c", m, n).run().numbers("c"));
    }

    private static double[] part(double[] matrix, int k, int block, int deep) {
        double[] part = new double[matrix.length / k * deep];
        Arrays.setAll(part, i -> matrix[i / deep * k + block * BLOCK + i % deep]);
        return part;
    }

    /** A sum's 13 fraction bits are those of one block: of a long row the sum is far nearer than a plain product's. */
    @Test
    void aLongSumLosesLittle() {
        int k = 32 * BLOCK;
        double[] a = new double[k];
        double[] ones = new double[k];
        Arrays.setAll(a, i -> KernelRun.rounded(ValueType.E4M3, 1 + new Random(i).nextDouble()));
        Arrays.fill(ones, 1);
        double exact = Arrays.stream(a).sum();
        double[] scales = new double[k / BLOCK];
        Arrays.fill(scales, 1);
        double promoted = new KernelRun(BlockScaledGemm.of(ValueType.F32).kernel()).set("a", a, 1, k)
                .set("a_scales", scales, 1, k / BLOCK).set("b", ones, 1, k).set("b_scales", scales, 1, k / BLOCK)
                .out("c", 1, 1).runOnCpu().numbers("c")[0];
        double plain = new KernelRun(Gemm.of(ValueType.E4M3).withTransposedB().withResult(ValueType.F32).kernel())
                .set("a", a, 1, k).set("b", ones, 1, k).out("c", 1, 1).runOnCpu().numbers("c")[0];
        assertTrue(Math.abs(promoted - exact) * 10 < Math.abs(plain - exact), exact + ", got " + promoted
                + ", and without blocks " + plain);
    }

    @Test
    void targetsWithoutItAreRefused() {
        String message = assertThrows(IllegalArgumentException.class, () -> BlockScaledGemm.of(ValueType.BF16).kernel()
                .lowered(Target.SM_80, Map.of())).getMessage();
        assertEquals("kernel 'gemm_block_scaled' has products %8: f32 [64 x 128] of e4m3, which need sm_89 or later, "
                + "got sm_80: run it on the CPU there (at BlockScaledGemm.java:N)",
                message.replaceFirst("\\d+\\)$", "N)"));
    }
}
