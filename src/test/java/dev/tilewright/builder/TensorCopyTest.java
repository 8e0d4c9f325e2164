package dev.tilewright.builder;

import static dev.tilewright.builder.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link TensorCopy} takes and refuses. */
class TensorCopyTest {

    private static TensorCopy.Builder f32() {
        return TensorCopy.of(ElementType.F32);
    }

    @ParameterizedTest
    @EnumSource
    void theDefaultsSuitEveryType(ElementType type) {
        TensorCopy kernel = TensorCopy.of(type).build();
        assertEquals("tensor_copy", kernel.program().name());
        assertEquals(4 * 8192 + 4 * 8, kernel.program().shared().bytes());
    }

    @ParameterizedTest
    @CsvSource({"8, NONE", "12, B128", "16, NONE", "20, B128"})
    void wholeLinesAreFetchedWhereRowsBeginWithinASector(long columns, L2Promotion expected) {
        Launch launch = f32().build().launch(List.of(5L, columns), 0);
        assertEquals(List.of(expected, expected), launch.arguments().stream().filter(Argument.Tensor.class::isInstance)
                .map(tensor -> ((TiledTensorMap) ((Argument.Tensor) tensor).map()).l2Promotion()).toList());
    }

    @Test
    void tiles() {
        refused("a tile of tensor-copy has 1 to 5 dimensions, got 6: 1x1x1x1x1x4",
                () -> f32().tile(1, 1, 1, 1, 1, 4).build());
        refused("a tile of tensor-copy has 1 to 5 dimensions, got 0", () -> f32().tile().build());
        refused("a tile's extents are at least 1, got -1x4", () -> f32().tile(-1, 4).build());
        refused("a tensor copy's box has at most 256 elements along each dimension, got 257x4",
                () -> f32().tile(257, 4).build());
        refused("a tensor copy's box has at most 256 elements along each dimension, got 4x260",
                () -> f32().tile(4, 260).build());
        refused("a box's rows must be a multiple of 16 bytes, got 6 f32 = 24 bytes: use a multiple of 4 columns",
                () -> f32().tile(8, 6).build());
        refused("a box's rows must be a multiple of 16 bytes, got 8 u8 = 8 bytes: use a multiple of 16 columns",
                () -> TensorCopy.of(ElementType.U8).tile(8).build());
        refused("a tile of 256x256 f32 takes more than the 232448 bytes of shared memory that a block can have: choose "
                + "a smaller tile", () -> f32().tile(256, 256).build());
        refused("a tile of 256x256x256x256x256 f64 takes more than the 232448 bytes of shared memory that a block can "
                + "have: "
                + "choose a smaller tile", () -> TensorCopy.of(ElementType.F64).tile(256, 256, 256, 256, 256).build());
    }

    @Test
    void stagesAndThreads() {
        refused("tensor-copy takes 1 to 8 stages, got 0", () -> f32().stages(0).build());
        refused("tensor-copy takes 1 to 8 stages, got 9", () -> f32().stages(9).build());
        refused("4 stages of 131072 bytes need 524320 bytes of shared memory with what else is in it, a block has at "
                + "most 232448: use at most 1 stage of this tile", () -> f32().tile(256, 128).build());
        refused("a block has a multiple of 32 threads, at most 1024, got 100", () -> f32().threads(100).build());
        refused("a block has a multiple of 32 threads, at most 1024, got 0", () -> f32().threads(0).build());
    }

    @Test
    void threadsByDefaultSuitTheKernel() {
        assertEquals(32, f32().build().program().threads());
        assertEquals(256, f32().step(ElementStep.SCALE).build().program().threads());
        assertEquals(256, f32().unswizzle(Unswizzle.STEP).build().program().threads());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "B32 | 12 | swizzle 32B allows box rows of at most 32 bytes, got 12 f32 = 48 bytes: use at most 8 columns, or "
                + "swizzle 64B",
        "B32 | 20 | swizzle 32B allows box rows of at most 32 bytes, got 20 f32 = 80 bytes: use at most 8 columns, or "
        + "swizzle 128B", "B64 | 32 | swizzle 64B allows box rows of at most 64 bytes, got 32 f32 = 128 bytes: use at "
        + "most 16 columns, or swizzle 128B", "B128 | 36 | swizzle 128B allows box rows of at most 128 bytes, got 36 "
        + "f32 = 144 bytes: use at most 32 columns, or no swizzle"})
    void aSwizzleHasASpan(Swizzle swizzle, int columns, String message) {
        refused(message, () -> f32().swizzle(swizzle).tile(8, columns).build());
        assertEquals(4 * 8 * swizzle.span() + 4 * 8,
                f32().swizzle(swizzle).tile(8, swizzle.span() / 4).build().program().shared().bytes());
    }

    @Test
    void aSwizzledRowTakesTheWholeSpan() {
        // 256 rows of 16 bytes lie 128 bytes apart, so 8 stages of them do not fit though their bytes would.
        refused("8 stages of 32768 bytes need 262208 bytes of shared memory with what else is in it, a block has at "
                + "most 232448: use at most 7 stages of this tile", () -> f32().tile(256, 4).swizzle(Swizzle.B128)
                .stages(8).build());
        refused("a tile of 2x2x2x256x4 f32 with swizzle 128B takes 262144 bytes of shared memory, a block has at most "
                + "232448: "
                + "choose a smaller tile", () -> f32().tile(2, 2, 2, 256, 4).swizzle(Swizzle.B128).stages(1).build());
    }

    @Test
    void rowsOfTheArrayAreWholeChunks() {
        TensorCopy kernel = f32().build();
        refused("rows of 30 f32, 120 bytes, are not a multiple of 16 bytes"
                + ", which tensor maps need: pad rows to 32 elements, "
                + "use a tile of "
                + "one extent (such as 128), or use bulk-copy or cp-async-pipeline, which take the array as one long "
                + "row", () -> kernel.launch(List.of(7L, 30L), 0));
        refused("rows of 1 u8, 1 byte, are not a multiple of 16 bytes"
                + ", which tensor maps need: pad rows to 16 elements, use "
                + "a tile of "
                + "one extent (such as 256), or use bulk-copy or cp-async-pipeline, which take the array as one long "
                + "row", () -> TensorCopy.of(ElementType.U8).build().launch(List.of(), 0));
        assertEquals(0, kernel.launch(List.of(0L, 30L), 0).blocks());
        assertEquals(1, f32().tile(32).build().launch(List.of(7L, 3L), 0).blocks());
    }

    @Test
    void coordinatesHave32Bits() {
        TensorCopy line = f32().tile(256).build();
        refused("a tensor copy's coordinates have 32 bits, and one dimension has 2147483648 elements: use a tile of "
                + "fewer or more "
                + "extents, or bulk-copy", () -> line.launch(List.of(1L << 31), 0));
        assertEquals(1 << 23, line.launch(List.of((1L << 31) - 4), 0, GridPolicy.tilesEach(1)).blocks());
        refused("a tensor copy's coordinates have 32 bits, and one dimension has 4294967296 elements: use a tile of "
                + "fewer or more "
                + "extents, or bulk-copy", () -> f32().tile(256, 4).build().launch(List.of(1L << 32, 4L), 0));
    }

    @Test
    void shapes() {
        TensorCopy kernel = f32().build();
        refused("a dimension cannot be negative: shape 4x-4", () -> kernel.launch(List.of(4L, -4L), 0));
        refused("an array of shape 2305843009213693952x4 f32 is too large: at most 2^62 bytes",
                () -> kernel.launch(List.of(1L << 61, 4L), 0));
        refused("that makes more than 1073741824 tiles: choose a larger tile",
                () -> f32().tile(1, 4).build().launch(List.of(1L << 31, 4L), 0));
        // Strides of an empty array are computed too.
        refused("an array of shape 1099511627776x1099511627776x0 f32 is too large: at most 2^62 bytes",
                () -> kernel.launch(List.of(1L << 40, 1L << 40, 0L), 0));
    }

    @Test
    void surplusDimensionsAreRows() {
        Launch launch = f32().tile(4, 8).build().launch(List.of(2L, 3L, 5L, 12L), 0);
        assertEquals(8 * 2, launch.blocks());
        TiledTensorMap map = (TiledTensorMap) ((Argument.Tensor) launch.arguments().getFirst()).map();
        assertEquals(List.of(12L, 30L), map.dims());
        assertEquals(List.of(8, 4), map.box());
        TiledTensorMap missing = (TiledTensorMap) ((Argument.Tensor) f32().tile(2, 4, 8).build().launch(List.of(12L), 0)
                .arguments().getFirst()).map();
        assertEquals(List.of(12L, 1L, 1L), missing.dims());
    }
}
