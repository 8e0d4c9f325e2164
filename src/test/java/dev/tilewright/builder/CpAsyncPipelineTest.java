package dev.tilewright.builder;

import static dev.tilewright.builder.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link CpAsyncPipeline} takes and refuses. */
class CpAsyncPipelineTest {

    private static CpAsyncPipeline.Builder f32() {
        return CpAsyncPipeline.of(ElementType.F32);
    }

    @ParameterizedTest
    @EnumSource
    void theDefaultsSuitEveryType(ElementType type) {
        CpAsyncPipeline kernel = CpAsyncPipeline.of(type).build();
        assertEquals(2 * 4096, kernel.program().shared().bytes());
        assertEquals(256, kernel.program().threads());
        assertEquals(type, kernel.type());
        assertEquals(ElementStep.COPY, kernel.step());
    }

    @Test
    void tiles() {
        refused("a tile of cp-async-pipeline has 1 to 2 dimensions, got 0", () -> f32().tile().build());
        refused("a tile of cp-async-pipeline has 1 to 2 dimensions, got 3: 2x2x4", () -> f32().tile(2, 2, 4).build());
        refused("a tile's extents are at least 1, got 0x64", () -> f32().tile(0, 64).build());
        refused("a tile's extents are at least 1, got 64x-4", () -> f32().tile(64, -4).build());
        refused("a tile's rows must be a multiple of the copy's 16 bytes, got 6 f32 = 24 bytes: use a multiple of 4 "
                + "columns", () -> f32().tile(8, 6).build());
        refused("a tile's rows must be a multiple of the copy's 8 bytes, got 5 f32 = 20 bytes: use a multiple of 2 "
                + "columns", () -> f32().tile(5).copyBytes(8).build());
        refused("a tile of 256x256 f32 takes more than the 232448 bytes of shared memory that a block can have: choose "
                + "a smaller tile", () -> f32().tile(256, 256).build());
        refused("a tile of 2147483647x2147483647 f32 takes more than the 232448 bytes of shared memory that a block "
                + "can have: "
                + "choose a smaller tile", () -> f32().tile(Integer.MAX_VALUE, Integer.MAX_VALUE).build());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 9})
    void stages(int count) {
        refused("cp-async-pipeline takes 1 to 8 stages, got " + count, () -> f32().stages(count).build());
    }

    @Test
    void moreStagesThanFit() {
        refused("4 stages of 65536 bytes need 262144 bytes of shared memory with what else is in it, a block has at "
                + "most 232448: use at most 3 stages of this tile", () -> f32().tile(128, 128).stages(4).build());
        refused("2 stages of 131072 bytes need 262144 bytes of shared memory with what else is in it, a block has at "
                + "most 232448: use at most 1 stage of this tile", () -> f32().tile(128, 256).stages(2).build());
        assertEquals(232448, f32().tile(29056).stages(2).build().program().shared().bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {-32, 0, 1, 33, 1056})
    void threads(int count) {
        refused("a block has a multiple of 32 threads, at most 1024, got " + count, () -> f32().threads(count).build());
    }

    @Test
    void copies() {
        refused("cp.async copies 4, 8 or 16 bytes and at least one element (f32, 4 bytes), got 12",
                () -> f32().copyBytes(12).build());
        refused("cp.async copies 4, 8 or 16 bytes and at least one element (f32, 4 bytes), got 2",
                () -> f32().copyBytes(2).build());
        refused("cp.async copies 4, 8 or 16 bytes and at least one element (f64, 8 bytes), got 4",
                () -> CpAsyncPipeline.of(ElementType.F64).copyBytes(4).build());
    }

    @Test
    void shapes() {
        CpAsyncPipeline row = f32().build();
        CpAsyncPipeline matrix = f32().tile(8, 32).build();
        refused("a dimension cannot be negative: shape 3x-1", () -> row.launch(List.of(3L, -1L), 0));
        refused("an array of shape 1152921504606846976 f64 is too large: at most 2^62 bytes",
                () -> CpAsyncPipeline.of(ElementType.F64).build().launch(List.of(1L << 60), 0));
        refused("that makes more than 1073741824 tiles: choose a larger tile", () -> row.launch(List.of(1L << 45), 0));
        refused("rows of 5 f32 = 20 bytes are not a multiple of the copy's 16 bytes: use a tile of one extent, such as "
                + "256, "
                + "which takes the array as one long row", () -> matrix.launch(List.of(2L, 5L), 0));
        assertEquals(1, matrix.launch(List.of(1L, 5L), 0).blocks());
        assertEquals(0, matrix.launch(List.of(0L, 5L), 0).blocks());
        assertEquals(1, matrix.launch(List.of(), 0).blocks());
        assertEquals(2 * 3 * 2, matrix.launch(List.of(3L, 4L, 96L), 0, GridPolicy.tilesEach(1)).blocks() * 2);
    }

    @Test
    void blocksTakeRunsOfTiles() {
        CpAsyncPipeline kernel = f32().tile(256).build();
        Launch launch = kernel.launch(List.of(256L * 10 + 1), 0, GridPolicy.tilesEach(4));
        assertEquals(3, launch.blocks());
        assertEquals(List.of(new Argument.Buffer(0, 0, 10244), new Argument.Buffer(1, 0, 10244), new Argument.Int(1),
                new Argument.Int(10244), new Argument.Int(11), new Argument.Int(11), new Argument.Int(4)),
                launch.arguments());
    }

    @Test
    void aScalarOnlyWhereTheStepHasOne() {
        assertEquals(7, f32().build().launch(List.of(5L), 99).arguments().size());
        Launch launch = f32().step(ElementStep.SCALE).build().launch(List.of(5L), 99);
        assertEquals(new Argument.Scalar(99), launch.arguments().getLast());
    }
}
