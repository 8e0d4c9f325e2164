package dev.tilewright.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The matrix products of the examples, on the CPU: every byte is that of a plain loop with the same arithmetic. */
class ProductsTest {

    @ParameterizedTest
    @CsvSource({"128, 256, 16", "256, 512, 48", "100, 200, 84"})
    void f32(int m, int n, int k) {
        check("f32", m, n, k, ProductCase.f32(m, n, k, 7));
    }

    /**
     * A tile and parts of one, one block for several tiles, less than a stage along k, two laps of the ring and more.
     */
    @ParameterizedTest
    @OrdinaryShare(3)
    @CsvSource({"128, 256, 64, 1", "128, 256, 16, 1", "200, 328, 584, 2", "8, 8, 8, 1", "300, 512, 128, 4",
            "384, 512, 192, 3"})
    void bf16(int m, int n, int k, int blocks) {
        check("bf16", m, n, k, ProductCase.bf16(m, n, k, blocks, 8));
    }

    /** By warps, without copies of tensors. */
    @ParameterizedTest
    @CsvSource({"64, 64, 32", "128, 192, 160", "256, 192, 288"})
    void warps(int m, int n, int k) {
        check("bf16 by warps", m, n, k, ProductCase.warps(m, n, k, 9));
    }

    @Test
    void sizesThatAKernelCannotTakeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> WarpProduct.launch(64, 64, 16));
    }

    /** Tiles, how many blocks there may be, and how many there are: 132 take up to four of 512 tiles, as 128 do. */
    @ParameterizedTest
    @CsvSource({"1, 132, 1", "131, 132, 131", "132, 132, 132", "133, 132, 67", "512, 132, 128", "7, 3, 3"})
    void blocksOfAProductTakeEquallyManyTiles(int tiles, int most, int blocks) {
        assertEquals(blocks, ProductCase.bf16Launch(64, 256 * tiles, 8, most).blocks());
    }

    private static void check(String type, int m, int n, int k, ProductCase product) {
        try (Arena arena = Arena.ofShared()) {
            Instant start = Instant.now();
            product.assertResult(product.run(CaseDevice.reference(ReferenceOptions.DEFAULT), arena));
            System.err.println(type + " product of " + m + " x " + n + " x " + k + ": "
                    + Duration.between(start, Instant.now()).toMillis() + " ms");
        }
    }
}
