package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.CpAsyncPipeline;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a check takes, does to its memory, and says. */
class HazardCheckTest {
    private static final ElementwiseKernel KERNEL = CpAsyncPipeline.of(ElementType.F32).tile(64).build();

    private static List<MemorySegment> memory(Arena arena, int bytes) {
        return List.of(arena.allocate(bytes, 16), arena.allocate(bytes, 16));
    }

    @Test
    void theMemoryIsWorkedOn() {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = memory(arena, 4000);
            memory.getFirst().set(ValueLayout.JAVA_BYTE, 3999, (byte) 9);
            HazardReport report = HazardCheck.check(KERNEL.launch(List.of(1000L), 0), memory,
                    HazardOptions.DEFAULT.withSeeds(1L, 2L));
            assertTrue(report.isClean() && report.complete(), report::toString);
            assertEquals(-1, memory.get(0).mismatch(memory.get(1)));
            // Each byte is read and written twice; the last tile is filled up with zeros.
            assertEquals(4 * 4000 + 96, report.checkedBytes());
            assertEquals("kernel 'cp_async_pipeline': no hazards in 16 blocks, 16096 bytes touched", report.toString());
        }
    }

    @Test
    void nothingToDoIsClean() {
        HazardReport report = HazardCheck.check(KERNEL.launch(List.of(0L), 0),
                List.of(MemorySegment.NULL, MemorySegment.NULL));
        assertTrue(report.isClean());
        assertEquals(0, report.blocks());
    }

    @Test
    void tooMuchIsRefusedWithAnOffer() {
        try (Arena arena = Arena.ofConfined()) {
            Launch launch = KERNEL.launch(List.of(1000L), 0);
            HazardOptions small = HazardOptions.DEFAULT.withMostBytes(2500);
            String message = assertThrows(BadRequestException.class,
                    () -> HazardCheck.check(launch, memory(arena, 4000), small)).getMessage();
            assertEquals("kernel 'cp_async_pipeline': checking 16 of 16 blocks would follow about 8000 bytes of "
                    + "memory, and the limit is "
                    + "2500: check the first 5 blocks, or raise the limit", message);
            List<MemorySegment> memory = memory(arena, 4000);
            HazardReport report = HazardCheck.check(launch, memory, small.withFirstBlocks(5));
            assertEquals(5, report.blocks());
            assertEquals(16, report.ofBlocks());
            assertTrue(report.toString().contains("in the first 5 blocks of 16"), report::toString);
        }
    }

    @Test
    void onlyTheFirstBlocksRun() {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = memory(arena, 4000);
            memory.get(0).fill((byte) 1);
            HazardCheck.check(KERNEL.launch(List.of(1000L), 0), memory, HazardOptions.firstBlocks(3));
            assertEquals(3 * 256, memory.get(0).mismatch(memory.get(1)));
        }
    }
}
