package dev.tilewright.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The check finds nothing in the matrix products of the examples, whatever order threads and copies take. */
class ProductHazardsTest {

    @Test
    void bf16() {
        // Six stages for a ring of four, one block for two tiles.
        assertClean(ProductCase.bf16(136, 256, 192, 1, 3));
    }

    @Test
    void f32() {
        assertClean(ProductCase.f32(128, 256, Thorough.of(64, 96), 4));
    }

    @Test
    void warps() {
        assertClean(ProductCase.warps(64, 128, 64, 5));
    }

    private static void assertClean(ProductCase product) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment c = arena.allocate(product.expected().byteSize(), 128);
            HazardReport report = HazardCheck.check(product.launch(), List.of(product.a(), product.b(), c),
                    HazardOptions.DEFAULT.withSeeds(LongStream.rangeClosed(1, Thorough.of(1, 2)).boxed()
                            .toArray(Long[]::new)));
            assertEquals(List.of(), report.findings(), report::toString);
            product.assertResult(c);
        }
    }
}
