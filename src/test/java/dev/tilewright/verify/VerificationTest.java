package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CheckSummary.Entry;
import dev.tilewright.verify.CheckSummary.Outcome;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run of checks: what is wrong, what is thrown and what cannot be done each ends in the summary, and the run goes on. */
class VerificationTest {
    private static final CopyCase CASE = new CopyCase(Presets.named("bulk-copy"), Map.of(), ElementType.U8, List.of(5L), 1, 0, 1);

    private final List<Entry> heard = new ArrayList<>();
    private final Verification verification = new Verification(heard::add);

    @Test
    void checksEndAsTheyShould() {
        verification.check("g", "good", Optional::empty);
        verification.check("g", "bad", () -> Optional.of("the bytes differ"));
        verification.check("g", "thrown", () -> {
            throw new java.io.IOException("gone");
        });
        verification.skip("g", List.of("a", 2), "no GPU");
        List<Entry> entries = verification.summary().entries();
        assertEquals(List.of("good PASSED ", "bad FAILED the bytes differ", "thrown FAILED java.io.IOException: gone", "a SKIPPED no GPU",
                "2 SKIPPED no GPU"), entries.stream().map(e -> e.name() + " " + e.outcome() + " " + e.detail()).toList());
        assertEquals(entries, heard);
        assertTrue(entries.stream().allMatch(e -> e.seconds() >= 0 && e.seconds() < 60));
    }

    @Test
    void casesRunOnTheDevice() {
        try (DamagingDriver driver = new DamagingDriver((_, _) -> { })) {
            verification.cases("gpu", driver, List.of(CASE, CASE));
        }
        assertEquals("cases 2 passed 2 failed 0 skipped 0", verification.summary().lastLine());
        assertEquals(CASE.toString(), heard.getFirst().name());
    }

    @Test
    void aDamagedResultIsAFailure() {
        try (DamagingDriver driver = new DamagingDriver((_, after) -> after.set(ValueLayout.JAVA_BYTE, 5, (byte) 0))) {
            verification.cases("gpu", driver, List.of(CASE));
        }
        assertEquals("byte 0 after the end of the result was written", heard.getFirst().detail());
        assertEquals(Outcome.FAILED, heard.getFirst().outcome());
    }

    @Test
    void whatADeviceIsTooOldOrTooSmallForIsSkipped() {
        CopyCase small = new CopyCase(Presets.named("cp-async-pipeline"), Map.of("stages", "2"), ElementType.U8, List.of(5L), 1, 0, 1);
        CopyCase large = new CopyCase(Presets.named("cp-async-pipeline"), Map.of("stages", "8"), ElementType.U8, List.of(5L), 1, 0, 1);
        try (DamagingDriver driver = new DamagingDriver(Target.SM_86, 99 * 1024, (_, _) -> { })) {
            verification.cases("gpu", driver, List.of(CASE, small, large));
        }
        assertEquals(List.of("this GPU is sm_86, the kernel needs sm_90", "",
                "this GPU has 101376 bytes of shared memory per block, the kernel needs 131072"),
                heard.stream().map(Entry::detail).toList());
        assertEquals("cases 3 passed 1 failed 0 skipped 2", verification.summary().lastLine());
    }

    @Test
    void recordingsThatAreNotThereAreSkipped(@TempDir Path empty) {
        verification.recordings(empty);
        assertTrue(!heard.isEmpty() && heard.stream().allMatch(e -> e.outcome() == Outcome.SKIPPED
                && e.detail().equals(empty.resolve(e.name()) + " is not there")), heard::toString);
    }
}
