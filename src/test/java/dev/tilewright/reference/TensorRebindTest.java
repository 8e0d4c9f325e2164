package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.Thorough;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.TensorRebind;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCases;
import dev.tilewright.verify.CopyCheck;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Slabs of rows through maps that each block makes: every array is moved, and every step of making the maps matters.
 */
class TensorRebindTest {
    private static final ElementwiseKernel KERNEL = TensorRebind.of(ElementType.I32).tile(4, 8).stages(2)
            .blocksPerSlab(1)
            .build();
    private static final List<Long> SHAPE = List.of(21L, 20L);

    @Test
    void arraysOfAnyTypeAndHeightAreMoved() {
        CopyCases cases = new CopyCases(List.of(Presets.named("tensor-rebind")), 6);
        for (int i = 0; i < Thorough.of(12, 100); i++) {
            CopyCase next = cases.next();
            assertEquals(Optional.empty(), CopyCheck.run(CaseDevice.reference(ReferenceOptions.DEFAULT), next),
                    next::toString);
        }
    }

    private static byte[] run(TileProgram program, byte[] source) {
        Launch whole = KERNEL.launch(SHAPE, 0, GridPolicy.tilesEach(2));
        byte[] result = new byte[source.length];
        byte[] workspace = new byte[(int) KERNEL.workspaceBytes(whole)];
        Reference.run(new Launch(program, whole.blocks(), whole.arguments()),
                List.of(MemorySegment.ofArray(source), MemorySegment.ofArray(result),
                MemorySegment.ofArray(workspace)));
        return result;
    }

    private static boolean isClean(TileProgram program, byte[] source) {
        Launch whole = KERNEL.launch(SHAPE, 0, GridPolicy.tilesEach(2));
        return HazardCheck.check(new Launch(program, whole.blocks(), whole.arguments()),
                List.of(MemorySegment.ofArray(source), MemorySegment.ofArray(new byte[source.length]),
                MemorySegment.ofArray(new byte[(int) KERNEL.workspaceBytes(whole)]))).isClean();
    }

    @Test
    void threeSlabsTakeThreePairsOfMaps() {
        Launch launch = KERNEL.launch(SHAPE, 0, GridPolicy.tilesEach(2));
        assertEquals(3, launch.blocks());
        assertEquals(3 * 2 * 128, KERNEL.workspaceBytes(launch));
        byte[] source = TestData.bytes(21 * 20 * 4, 2);
        assertTrue(Arrays.equals(source, run(KERNEL.program(), source)));
        assertTrue(isClean(KERNEL.program(), source));
    }

    @Test
    void blocksShareASlabWhileEachHasTwoTiles() {
        TensorRebind.Builder builder = TensorRebind.of(ElementType.I32).tile(4, 8);
        assertEquals(8, builder.build().launch(List.of(4L, 16L * 8), 0).blocks());
        assertEquals(3, builder.build().launch(List.of(4L, 5L * 8), 0).blocks());
        assertEquals(5, builder.build().launch(List.of(20L, 8L), 0).blocks());
        assertEquals(2, builder.blocksPerSlab(2).build().launch(List.of(4L, 16L * 8), 0).blocks());
    }

    /** Without the step the check finds something, the reference complains, or the result is wrong. */
    @ParameterizedTest
    @ValueSource(strings = {"eight threads copy the template of the source, 16 bytes each",
            "eight more that of the result",
        "both copies are complete", "the source's map starts at the slab", "the source's map has the slab's rows",
        "the result's map starts at the slab", "the result's map has the slab's rows", "both maps are complete",
        "a whole warp publishes them", "the source's map goes to global memory",
        "the result's map goes to global memory",
        "the thread that starts all copies", "use the source's map as published", "use the result's map as published"})
    void everyStepMatters(String purpose) {
        byte[] source = TestData.bytes(21 * 20 * 4, 2);
        TileProgram mutant = Mutation.without(KERNEL.program(), purpose);
        boolean right;
        try {
            right = Arrays.equals(source, run(mutant, source)) && isClean(mutant, source);
        } catch (ReferenceException noticed) {
            right = false;
        }
        assertFalse(right, "the mistake went unnoticed");
    }

    @Test
    void whatCannotBeMovedIsRefused() {
        refused("rows of 3 i32, 12 bytes, are not a multiple of 16 bytes"
                + ", which tensor maps need: pad rows to 4 elements, or "
                + "use bulk-copy "
                + "or cp-async-pipeline, which take the array as one long row",
                () -> KERNEL.launch(List.of(5L, 3L), 0));
        refused("a box's rows must be a multiple of 16 bytes, got 3 i32 = 12 bytes: use a multiple of 4 columns",
                () -> TensorRebind.of(ElementType.I32).tile(4, 3).build());
        refused("a tensor copy's box has at most 256 elements along each dimension, got 257x4",
                () -> TensorRebind.of(ElementType.I32).tile(257, 4).build());
        refused("a tile of tensor-rebind has 2 dimensions, got 1: 16", () -> TensorRebind.of(ElementType.I32).tile(16)
                .build());
        refused("8 stages of 65536 bytes need 524608 bytes of shared memory with what else is in it, a block has at "
                + "most 232448: "
                + "use at most 3 stages of this tile", () -> TensorRebind.of(ElementType.I32).tile(256, 64).stages(8)
                .build());
        assertEquals(0, KERNEL.launch(List.of(0L, 4L), 0).blocks());
        assertEquals(0, KERNEL.launch(List.of(4L, 0L), 0).blocks());
    }

    private static void refused(String message, Executable code) {
        assertEquals(message, assertThrows(BadRequestException.class, code).getMessage());
    }
}
