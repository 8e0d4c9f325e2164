package dev.tilewright.gputest;

import dev.tilewright.examples.ProductCase;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The matrix products of the examples, every byte as a plain loop computes it that has the same arithmetic; with the
 * reference in the GPU's place the same, so that all three agree.
 */
@OnEveryStage
record MatrixProductGpuTest(Stage stage) {

    /** @param least k with the reference, which takes half a minute for the large ones on a busy machine */
    private int depth(int k, int least) {
        return stage == Stage.GPU ? k : least;
    }

    @ParameterizedTest
    @CsvSource({"512, 512, 512, 128, 8", "512, 512, 512, 128, 3", "200, 328, 584, 584, 2", "8, 8, 8, 8, 1"})
    void bf16(int m, int n, int k, int least, int blocks) {
        check(Target.SM_90A, () -> ProductCase.bf16(m, n, depth(k, least), blocks, 1));
    }

    @ParameterizedTest
    @CsvSource({"512, 512, 512, 64", "128, 256, 16, 16"})
    void f32(int m, int n, int k, int least) {
        check(Target.SM_80, () -> ProductCase.f32(m, n, depth(k, least), 2));
    }

    @ParameterizedTest
    @CsvSource({"512, 512, 512, 64", "128, 192, 160, 160"})
    void warps(int m, int n, int k, int least) {
        check(Target.SM_80, () -> ProductCase.warps(m, n, depth(k, least), 3));
    }

    private void check(Target target, Supplier<ProductCase> made) {
        // A test that is skipped makes none.
        CaseDevice device = stage.device(target);
        ProductCase product = made.get();
        try (Arena arena = Arena.ofConfined()) {
            product.assertResult(product.run(device, arena));
        }
    }
}
