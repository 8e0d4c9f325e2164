package dev.tilewright.hazard;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.program.Launch;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCases;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** No preset has a hazard with any of its options, for any type and shape, in the fixed order and in another. */
class CleanPresetsPropertiesTest {

    @Property(tries = 20)
    @OrdinaryTries(3)
    void noOptionsMakeAHazard(@ForAll long seed) {
        CopyCase drawn = new CopyCases(Presets.ALL, seed).next();
        Launch launch = drawn.launch();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = drawn.data(arena);
            long workspace = Math.max(1, drawn.kernel().workspaceBytes(launch));
            HazardReport report = HazardCheck.check(launch,
                    List.of(data, arena.allocate(drawn.bytes(), 64), arena.allocate(workspace, 128)),
                    HazardOptions.DEFAULT.withSeeds(seed));
            assertEquals(List.of(), report.findings(), () -> drawn + "\n" + report);
            assertTrue(report.complete());
        }
    }
}
