package dev.tilewright.gputest;

import dev.tilewright.examples.ProductCase;
import dev.tilewright.ptx.Target;
import java.lang.foreign.Arena;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The matrix products of the examples, every byte as a plain loop computes it that has the same arithmetic; with the
 * reference in the GPU's place the same, so that all three agree.
 */
@OnEveryStage
record MatrixProductGpuTest(Stage stage) {

    @ParameterizedTest
    @CsvSource({"512, 512, 512, 8", "512, 512, 512, 3", "200, 328, 584, 2", "8, 8, 8, 1"})
    void bf16(int m, int n, int k, int blocks) {
        check(Target.SM_90A, ProductCase.bf16(m, n, k, blocks, 1));
    }

    @ParameterizedTest
    @CsvSource({"512, 512, 512", "128, 256, 16"})
    void f32(int m, int n, int k) {
        // The reference takes half a minute for the large one on a busy machine.
        int depth = stage == Stage.GPU ? k : Math.min(k, 64);
        check(Target.SM_80, ProductCase.f32(m, n, depth, 2));
    }

    @ParameterizedTest
    @CsvSource({"512, 512, 512", "128, 192, 160"})
    void warps(int m, int n, int k) {
        check(Target.SM_80, ProductCase.warps(m, n, k, 3));
    }

    private void check(Target target, ProductCase product) {
        try (Arena arena = Arena.ofConfined()) {
            product.assertResult(product.run(stage.driver(target), arena));
        }
    }
}
