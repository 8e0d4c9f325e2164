package dev.tilewright.bench.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Runs kernels on the CPU under the hazard check, in several orders. */
final class KernelRuns {
    private KernelRuns() { }

    /**
     * Runs a launch on two buffers.
     *
     * @param in what buffer 0 holds
     * @param out what buffer 1 holds at first
     * @return what it holds then
     */
    static int[] run(Launch launch, int[] in, int[] out) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(4L * in.length, 128);
            MemorySegment.copy(in, 0, source, ValueLayout.JAVA_INT, 0, in.length);
            MemorySegment result = arena.allocate(4L * out.length, 128);
            MemorySegment.copy(out, 0, result, ValueLayout.JAVA_INT, 0, out.length);
            HazardReport report = HazardCheck.check(launch, List.of(source, result),
                    HazardOptions.DEFAULT.withSeeds(1L, 2L));
            assertEquals(List.of(), report.findings(), report::toString);
            assertTrue(report.complete());
            return result.toArray(ValueLayout.JAVA_INT);
        }
    }
}
