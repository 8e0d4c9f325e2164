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

/** What {@link BulkCopy} takes and refuses. */
class BulkCopyTest {

    private static BulkCopy.Builder f32() {
        return BulkCopy.of(ElementType.F32);
    }

    @ParameterizedTest
    @EnumSource
    void theDefaultsSuitEveryType(ElementType type) {
        assertEquals(4 * 16384 + 4 * 8, BulkCopy.of(type).build().program().shared().bytes());
    }

    @Test
    void tiles() {
        refused("a tile of bulk-copy has 1 dimension, got 2: 64x64", () -> f32().tile(64, 64).build());
        refused("a tile's extents are at least 1, got 0", () -> f32().tile(0).build());
        refused("a bulk copy moves a multiple of 16 bytes, got a tile of 5 f32 = 20 bytes: use a multiple of 4 "
                + "elements", () -> f32().tile(5).build());
        refused("a bulk copy moves a multiple of 16 bytes, got a tile of 24 u8 = 24 bytes: use a multiple of 16 "
                + "elements", () -> BulkCopy.of(ElementType.U8).tile(24).build());
        refused("a tile of 65536 f32 takes more than the 232448 bytes of shared memory that a block can have: choose a "
                + "smaller tile", () -> f32().tile(65536).build());
    }

    @Test
    void stages() {
        refused("bulk-copy takes 1 to 8 stages, got 0", () -> f32().stages(0).build());
        refused("bulk-copy takes 1 to 8 stages, got 9", () -> f32().stages(9).build());
        refused("8 stages of 32768 bytes need 262208 bytes of shared memory with what else is in it, a block has at "
                + "most 232448: use at most 7 stages of this tile", () -> f32().tile(8192).stages(8).build());
        // The barriers count: a tile of all the shared memory there is does not fit.
        refused("1 stage of 232448 bytes need 232456 bytes of shared memory with what else is in it, a block has at "
                + "most 232448: choose a smaller tile", () -> f32().tile(58112).stages(1).build());
        assertEquals(232440, f32().tile(58108).stages(1).build().program().shared().bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {-32, 0, 31, 48, 1025})
    void threads(int count) {
        refused("a block has a multiple of 32 threads, at most 1024, got " + count, () -> f32().threads(count).build());
    }

    @Test
    void threadsByDefaultSuitTheStepOfEachKernel() {
        BulkCopy.Builder builder = f32();
        assertEquals(32, builder.build().program().threads());
        assertEquals(256, builder.step(ElementStep.ADD).build().program().threads());
        assertEquals(64, builder.threads(64).build().program().threads());
        assertEquals(64, builder.step(ElementStep.COPY).build().program().threads());
    }

    @Test
    void theLastFewBytesAreNotPartOfATile() {
        BulkCopy kernel = BulkCopy.of(ElementType.U8).tile(64).build();
        Launch launch = kernel.launch(List.of(3L, 70L), 0);
        assertEquals(List.of(new Argument.Buffer(0, 0, 210), new Argument.Buffer(1, 0, 210), new Argument.Int(210),
                new Argument.Int(208), new Argument.Int(4), new Argument.Int(1)), launch.arguments());
        assertEquals(4, launch.blocks());
        // An array without a whole chunk still takes a block, for those bytes.
        assertEquals(1, kernel.launch(List.of(15L), 0).blocks());
        assertEquals(1, kernel.launch(List.of(), 0).blocks());
        assertEquals(0, kernel.launch(List.of(4L, 0L), 0).blocks());
    }

    @Test
    void shapes() {
        BulkCopy kernel = f32().build();
        refused("a dimension cannot be negative: shape -5", () -> kernel.launch(List.of(-5L), 0));
        refused("an array of shape 4611686018427387904 f32 is too large: at most 2^62 bytes",
                () -> kernel.launch(List.of(1L << 62), 0));
        refused("that makes more than 1073741824 tiles: choose a larger tile",
                () -> kernel.launch(List.of(1L << 43), 0));
    }
}
