package dev.tilewright.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Value;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** What the assertion takes, and what its message says. */
class HazardFreeTest {

    private static List<MemorySegment> memory(Arena arena) {
        return List.of(arena.allocate(256, 256), arena.allocate(256, 256));
    }

    private static AssertionFailedError refused(Launch launch) {
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> memory = memory(arena);
            return assertThrows(AssertionFailedError.class, () -> HazardFree.assertHazardFree(launch, memory));
        }
    }

    @Test
    void aCleanLaunchGivesItsReport() {
        try (Arena arena = Arena.ofShared()) {
            HazardReport report = HazardFree.assertHazardFree(Reversal.launch(true), memory(arena));
            assertTrue(report.isClean() && report.isAnalysed() && report.complete(), report::toString);
            assertEquals(Set.of(), report.codes());
        }
    }

    @Test
    void aHazardIsInTheMessage() {
        String message = refused(Reversal.launch(false)).getMessage();
        assertTrue(message.startsWith("kernel 'reversal' is not free of hazards:\nkernel 'reversal': "), message);
        assertTrue(message.contains(HazardCode.MISSING_BARRIER.toString()), message);
    }

    @Test
    void whatCannotBeFollowedIsNotTakenForClean() {
        String message = refused(Reversal.clearing()).getMessage();
        assertTrue(message.startsWith("kernel 'reversal' could not be followed to its end, so that it is not known to "
                + "be free of "
                + "hazards:\n"), message);
        assertTrue(message.contains("not analysed: st.bulk.weak.shared::cta (needs sm_100)"), message);
    }

    @Test
    void aBuildersKernelNeedsNoMemoryOfOnesOwn() {
        for (String preset : List.of("tensor-copy", "cp-async-scale", "bulk-add", "tensor-rebind")) {
            HazardReport report = HazardFree.assertHazardFree(Presets.named(preset).build(ElementType.F32),
                    List.of(20L, 64L), Scalars.ofBits(0));
            assertTrue(report.checkedBytes() > 0, report::toString);
        }
        HazardFree.assertHazardFree(VectorCopy.of(ElementType.F32).step(Value::plus).build(), List.of(5L, 7L),
                Scalars.NONE);
    }

    @Test
    void optionsLimitWhatIsChecked() {
        Launch launch = Presets.named("tensor-copy").build(ElementType.F32).launch(List.of(1024L, 64L), 0);
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> memory = List.of(arena.allocate(1024 * 64 * 4, 256),
                    arena.allocate(1024 * 64 * 4, 256));
            HazardReport report = HazardFree.assertHazardFree(launch, memory, HazardOptions.firstBlocks(2));
            assertEquals(2, report.blocks());
            assertTrue(report.ofBlocks() > 2, report::toString);
        }
    }
}
