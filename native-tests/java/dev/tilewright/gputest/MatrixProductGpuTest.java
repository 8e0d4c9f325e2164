package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

    /** @param large the extent on a GPU @param small with the reference; {@code ProductsTest} has it larger */
    private int extent(int large, int small) {
        return stage == Stage.GPU ? large : small;
    }

    @ParameterizedTest
    @CsvSource({"512, 128, 512, 512, 128, 8", "512, 128, 512, 512, 128, 3", "200, 200, 328, 584, 72, 2",
            "8, 8, 8, 8, 8, 1"})
    void bf16(int m, int fewRows, int n, int k, int shallow, int blocks) {
        assumeTrue(stage.takes(m + blocks, 2), "an ordinary run takes one in two");
        check(Target.SM_90A, () -> ProductCase.bf16(extent(m, fewRows), n, extent(k, shallow), blocks, 1));
    }

    @ParameterizedTest
    @CsvSource({"512, 128, 512, 512, 64", "128, 128, 256, 16, 16"})
    void f32(int m, int fewRows, int n, int k, int shallow) {
        check(Target.SM_80, () -> ProductCase.f32(extent(m, fewRows), n, extent(k, shallow), 2));
    }

    @ParameterizedTest
    @CsvSource({"512, 128, 512, 512, 64", "128, 128, 192, 160, 160"})
    void warps(int m, int fewRows, int n, int k, int shallow) {
        check(Target.SM_80, () -> ProductCase.warps(extent(m, fewRows), n, extent(k, shallow), 3));
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
