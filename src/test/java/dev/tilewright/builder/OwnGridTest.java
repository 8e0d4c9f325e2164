package dev.tilewright.builder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Launch;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many tiles a block takes where a launch does not say. */
class OwnGridTest {
    private static final List<Long> GIBIBYTE = List.of(65536L, 4096L);

    private static int blocks(ElementwiseKernel kernel, List<Long> shape) {
        return kernel.launch(shape, 0).blocks();
    }

    private static ElementwiseKernel preset(String name, int rank) {
        return Presets.named(name).build(ElementType.F32, rank, Schedule.DEFAULT);
    }

    /**
     * The grids that a search with own tiles and stages found fastest on an H200: native-tests/logs/tune.log, the last
     * one.
     */
    @ParameterizedTest
    @CsvSource({"vector-copy, 1", "cp-async-pipeline, 1", "cp-async-scale, 1", "bulk-copy, 1", "bulk-copy-token, 1",
        "bulk-add, 1", "tensor-copy, 1", "tensor-copy-1d, 2", "tensor-copy-32b, 4", "tensor-copy-64b, 2",
        "tensor-copy-128b, 1", "tensor-scale, 1"})
    void ofAGibibyte(String name, int tilesEach) {
        ElementwiseKernel kernel = preset(name, 2);
        assertEquals(kernel.launch(GIBIBYTE, 0, GridPolicy.tilesEach(tilesEach)).blocks(), blocks(kernel, GIBIBYTE));
    }

    /** Two tiles of 4 KiB by 256 threads, as that search found for bulk-add, but no more than there are stages. */
    @Test
    void dependsOnTileThreadsAndStages() {
        BulkCopy.Builder add = BulkCopy.MECHANISM.builder(ElementType.F32, 2,
                Schedule.parse("step=add tile=4096B"));
        assertEquals(1 << 17, blocks(add.build(), GIBIBYTE));
        assertEquals(1 << 18, blocks(add.stages(1).build(), GIBIBYTE));
        assertEquals(1 << 16, blocks(add.stages(8).threads(512).build(), GIBIBYTE));
        assertEquals(1 << 18, blocks(add.threads(128).build(), GIBIBYTE));
        assertEquals(1 << 18, blocks(TensorCopy.of(ElementType.F32).tile(16, 64).build(), GIBIBYTE));
    }

    /** Each of two sources is under way. */
    @Test
    void countsEverySource() {
        BulkCopy.Builder sum = BulkCopy.of(ElementType.F32).tile(512).step((x, y) -> x.plus(y));
        assertEquals(1 << 18, blocks(sum.build(), GIBIBYTE));
    }

    @Test
    void slabsOfOneBandHaveTheirOwnBlocks() {
        ElementwiseKernel rebind = TensorRebind.of(ElementType.F32).tile(1, 16).build();
        assertEquals(rebind.launch(GIBIBYTE, 0, GridPolicy.tilesEach(1)).blocks(), blocks(rebind, GIBIBYTE));
    }

    /** An array of few tiles has a block for each: multiprocessors that do nothing cost more than a start. */
    @Property(tries = 70)
    void fewTilesHaveABlockEach(@ForAll @IntRange(min = 1, max = 6000) int tiles) {
        ElementwiseKernel kernel = TensorCopy.of(ElementType.F32).swizzle(Swizzle.B32).unswizzle(Unswizzle.STEP)
                .build();
        Launch launch = kernel.launch(List.of(64L * tiles, 8L), 0);
        int each = Math.ceilDiv(tiles, launch.blocks());
        assertTrue(each >= 1 && each <= 4, () -> tiles + " tiles, " + launch.blocks() + " blocks");
        assertTrue(launch.blocks() > Math.min(tiles, 1024) / 2, () -> tiles + " tiles, " + launch.blocks() + " blocks");
        if (tiles <= 1024) {
            assertEquals(tiles, launch.blocks());
        } else if (tiles > 3 * 1024) {
            assertEquals(Math.ceilDiv(tiles, 4), launch.blocks());
        }
    }
}
