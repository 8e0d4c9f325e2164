package dev.tilewright.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Mechanism;
import dev.tilewright.builder.Presets;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is measured, without a GPU. */
class CopySuiteTest {

    @Test
    void everyBuilderAsItStandsAndSwizzledTiles() {
        List<CopySuite.Candidate> kernels = CopySuite.defaults(Presets.CATALOG.mechanisms());
        assertEquals(Presets.CATALOG.mechanisms().stream().map(Mechanism::name)
                .flatMap(n -> n.equals("tensor-copy") ? Stream.of(n, n + ", swizzle 128B") : Stream.of(n)).toList(),
                kernels.stream().map(CopySuite.Candidate::name).toList());
        assertEquals("2-D tensor-map copies in boxes of 64x32 f32, swizzle 128B, 4 stages, wait by parity, step: copy",
                named(kernels, "tensor-copy, swizzle 128B").kernel().program().purpose());
        assertTrue(kernels.stream().allMatch(k -> k.gridPolicy(132).tilesPerBlock(1000) == 1));
    }

    @Test
    void tilesStagesAndThreadsInFiveGrids() {
        List<CopySuite.Candidate> kernels = CopySuite.sweep(Presets.CATALOG.mechanisms());
        assertEquals(5 * 24, count(kernels, "cp-async-pipeline "));
        assertEquals(5 * 12, count(kernels, "bulk-copy "));
        assertEquals(5 * 12, count(kernels, "tensor-copy "));
        assertEquals(Presets.CATALOG.mechanisms().stream().mapToLong(m -> count(kernels, m.name() + " ")).sum(),
                kernels.size());
        assertEquals(kernels.size(), new HashSet<>(kernels.stream().map(CopySuite.Candidate::name).toList()).size());
        CopySuite.Candidate last = kernels.getLast();
        assertEquals("tensor-copy --tile 32x512B --stages 4, persistent", last.name());
        assertEquals(List.of(32, 128), last.kernel().tile());
        assertEquals(4, last.kernel().stages());
        assertEquals(10, last.gridPolicy(100).tilesPerBlock(1000));
        assertEquals("cp-async-pipeline --tile 4096B --stages 2 --threads 256, 1 tiles a block",
                named(kernels, "cp-async-pipeline ").name());
    }

    /** The first whose name begins like this. */
    private static CopySuite.Candidate named(List<CopySuite.Candidate> kernels, String start) {
        return kernels.stream().filter(k -> k.name().startsWith(start)).findFirst().orElseThrow();
    }

    private static long count(List<CopySuite.Candidate> kernels, String start) {
        return kernels.stream().filter(k -> k.name().startsWith(start)).count();
    }
}
