package dev.tilewright.reference.box;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideMode;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What the hardware would fault on, or the mode does not have, is refused with the rule and the value. */
class RefusedBoxesTest {
    private static final MemorySegment TENSOR = MemorySegment.ofArray(new byte[1 << 16]);
    private final byte[] shared = new byte[1 << 16];

    private static Im2colTensorMap image(int lower, int upper, Interleave interleave) {
        return new Im2colTensorMap(TensorDataType.FLOAT16, List.of(8L, 10L, 6L, 2L), List.of(16L, 160L, 960L),
                List.of(lower, lower), List.of(upper, upper), 8, 16, List.of(1, 1, 1, 1), interleave, Swizzle.NONE,
                L2Promotion.NONE, OobFill.ZERO);
    }

    private static Im2colWideTensorMap wide(Im2colWideMode mode) {
        return new Im2colWideTensorMap(TensorDataType.FLOAT16, List.of(8L, 10L, 6L, 2L), List.of(16L, 160L, 960L), -1,
                -2, 8, 16, List.of(1, 1, 1, 1), Interleave.NONE, mode, Swizzle.NONE, L2Promotion.NONE, OobFill.ZERO);
    }

    private void im2col(int[] coordinates, int... offsets) {
        TensorBox.im2col(image(-1, -2, Interleave.NONE)).load(TENSOR, coordinates, offsets, shared, 0);
    }

    @Test
    void anIm2colLoadStartsInItsBoundingBox() {
        im2col(new int[] {0, -1, -1, 0}, 0, 0);
        im2col(new int[] {0, 7, 3, 0}, 0, 0);
        assertRefused("the im2col start [0, -2, 0, 0] lies outside the bounding box: coordinate 1 (W) is -2, the box "
                + "is [-1, 7]:"
                + " the hardware faults", () -> im2col(new int[] {0, -2, 0, 0}, 0, 0));
        assertRefused("the im2col start [0, 0, 4, 0] lies outside the bounding box: coordinate 2 (H) is 4, the box is "
                + "[-1, 3]:"
                + " the hardware faults", () -> im2col(new int[] {0, 0, 4, 0}, 0, 0));
    }

    @Test
    void im2colOffsetsAreUnsignedAndNarrow() {
        im2col(new int[] {0, 0, 0, 0}, 255, 255);
        assertRefused("im2col offset 1 (H) is 256 and must be in [0, 255] for a tensor of rank 4",
                () -> im2col(new int[] {0, 0, 0, 0}, 0, 256));
        assertRefused("im2col offset 0 (W) is -1 and must be in [0, 255] for a tensor of rank 4",
                () -> im2col(new int[] {0, 0, 0, 0}, -1, 0));
        assertRefused("a load through this map takes 2 im2col offsets, got 1", () -> im2col(new int[] {0, 0, 0, 0}, 0));
    }

    @Test
    void anIm2colLoadIsAlignedLikeAnyOther() {
        assertRefused("coordinate 0 is 4, 8 bytes into the row, which must be a multiple of 16: the hardware faults "
                + "with "
                + "ILLEGAL_INSTRUCTION", () -> im2col(new int[] {4, 0, 0, 0}, 0, 0));
    }

    @Test
    void anIm2colStoreStaysInTheTensor() {
        TensorBox within = TensorBox.im2col(image(0, 0, Interleave.NONE));
        within.store(TENSOR, new int[] {0, 9, 5, 1}, shared, 0);
        assertRefused("coordinate 3 of an im2col_no_offs store is -1: a store starts at coordinates that are not "
                + "negative", () -> within.store(TENSOR, new int[] {0, 0, 0, -1}, shared, 0));
        assertRefused("an im2col_no_offs store takes a map whose bounding box lies in the tensor: along W the lower "
                + "corner is -1,"
                + " which must not be negative, and the upper -2, which must not be positive",
                () -> TensorBox.im2col(image(-1, -2, Interleave.NONE))
                .store(TENSOR, new int[] {0, 0, 0, 0}, shared, 0));
    }

    /** An H200 faults on each of these: native-tests/logs/negative-starts.log. */
    @Property(tries = 100)
    void aTiledStoreDoesNotStartBeforeTheTensor(@ForAll @IntRange(min = 1, max = 5) int rank,
            @ForAll @IntRange(max = 4) int before,
            @ForAll @IntRange(min = 1, max = 4) int far, @ForAll Swizzle swizzle) {
        TensorBox box =
                TensorBox.tile(TiledTensorMap.denseInnermostFirst(TensorDataType.UINT32,
                List.of(16L, 6L, 6L, 4L, 4L).subList(0, rank), List.of(8, 4, 4, 2, 2).subList(0, rank), swizzle));
        int d = before % rank;
        int[] start = new int[rank];
        start[d] = d == 0 ? -4 * far : -far;
        String message = "coordinate " + d + " of a tiled store or reduction is " + start[d]
                + ": a store starts at coordinates that are not"
                + " negative, and only elements past a dimension's end are skipped: the hardware faults with "
                + "ILLEGAL_INSTRUCTION";
        assertRefused(message, () -> box.store(TENSOR, start, shared, 0));
        assertRefused(message, () -> box.reduce(AtomicOp.ADD, TENSOR, start, shared, 0));
        box.load(TENSOR, start, shared, 0);
        start[d] = d == 0 ? 16 : 6;
        box.store(TENSOR, start, shared, 0);
        box.reduce(AtomicOp.ADD, TENSOR, start, shared, 0);
    }

    @Test
    void wideOperands() {
        TensorBox w = TensorBox.im2colWide(wide(Im2colWideMode.W));
        TensorBox w128 = TensorBox.im2colWide(wide(Im2colWideMode.W128));
        int[] start = {0, -9, 0, 0};
        w.load(TENSOR, start, new int[] {511, 31}, shared, 0);
        w128.load(TENSOR, start, new int[] {31, 0}, shared, 0);
        assertRefused("wHalo is 512 and must be in [0, 511]",
                () -> w.load(TENSOR, start, new int[] {512, 0}, shared, 0));
        assertRefused("wHalo is 32 and must be in [0, 31]",
                () -> w128.load(TENSOR, start, new int[] {32, 0}, shared, 0));
        assertRefused("wOffset is 32 and must be in [0, 31]",
                () -> w.load(TENSOR, start, new int[] {0, 32}, shared, 0));
        assertRefused("coordinate 1 (W) is 8, behind the end of the bounding box [-1, 7]: start inside or before it",
                () -> w.load(TENSOR, new int[] {0, 8, 0, 0}, new int[] {0, 0}, shared, 0));
        assertRefused("a wide im2col map is only loaded through: store through a tiled or an im2col map",
                () -> w.store(TENSOR, start, shared, 0));
    }

    @Test
    void gather4TakesRowsOfAMatrix() {
        TiledTensorMap map = TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(64L, 8L),
                List.of(16, 2), Swizzle.NONE);
        assertRefused("gather4 and scatter4 take a map of rank 2 with a box of one row and no interleave, got rank 2, "
                + "box [16, 2],"
                + " interleave NONE", () -> TensorBox.gather4(map));
        TensorBox box = TensorBox.gather4(
                TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(64L, 8L), List.of(16, 1),
                Swizzle.NONE));
        assertEquals(256, box.transactionBytes());
        assertRefused("a tensor of rank 2 takes 5 coordinates, got 2", () -> box.load(TENSOR, new int[2], shared, 0));
    }

    @Test
    void aTypeWithoutTheReduction() {
        TensorBox bytes = TensorBox.tile(
                TiledTensorMap.denseInnermostFirst(TensorDataType.UINT8, List.of(64L, 8L), List.of(16, 2),
                Swizzle.NONE));
        assertRefused("tensor reductions do not have or for UINT8, only for [UINT32, INT32, UINT64]: the hardware "
                + "faults with"
                + " ILLEGAL_INSTRUCTION", () -> bytes.reduce(AtomicOp.OR, TENSOR, new int[2], shared, 0));
    }

    @Test
    void aRowIsWholeChunks() {
        assertRefused("a row of the box has 24 bytes, which must be a multiple of 16", () -> TensorBox.tile(
                TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(64L, 8L), List.of(6, 2),
                Swizzle.NONE)));
    }

    private static void assertRefused(String message, Executable use) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, use).getMessage());
    }
}
