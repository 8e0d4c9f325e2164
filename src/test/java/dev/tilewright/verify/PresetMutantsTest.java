package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Mechanism;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.hazard.mutant.MutantResult;
import dev.tilewright.hazard.mutant.MutantVerdict;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every mistake that one edit makes in a preset is found. */
class PresetMutantsTest {
    private static final int SEEDS = 2;

    /** The first of each mechanism; all in a thorough run, and in {@code tilewright check --all --mutants}. */
    static Stream<Preset> presets() {
        Set<Mechanism<?>> seen = new HashSet<>();
        return Presets.ALL.stream().filter(p -> seen.add(p.mechanism()) || Thorough.of(0, 1) == 1);
    }

    private static List<MutantResult> results(Preset preset, Schedule changes, int seeds) {
        List<MutantResult> results = new ArrayList<>();
        KernelCheck.of(SmallCase.all(preset, changes, ElementType.F32)).mutants(seeds, results::add);
        return results;
    }

    private static List<String> names(List<MutantResult> results, MutantVerdict verdict) {
        return results.stream().filter(r -> r.verdict() == verdict).map(r -> r.mutant().name()).toList();
    }

    @ParameterizedTest
    @OrdinaryShare(5)
    @MethodSource("presets")
    void isFound(Preset preset) {
        List<MutantResult> results = results(preset, Schedule.DEFAULT, SEEDS);
        assertEquals(List.of(), names(results, MutantVerdict.MISSED));
        assertTrue(results.isEmpty() || names(results, MutantVerdict.FOUND).size()
                > names(results, MutantVerdict.HARMLESS).size(), "most edits are mistakes");
    }

    @Test
    void everyHarmlessEditHasItsReason() {
        List<MutantResult> results = results(Presets.named("bulk-add"), Schedule.parse("tile=256"), Thorough.of(1, 20));
        assertEquals(List.of(
                // All threads fence, the initialising one among them, and still before the barrier of the block.
                "moved-later@8",
                // The loads that come first now are the initialising thread's own.
                "moved-later@9",
                // The loading thread's arrival keeps the phase open until the bytes are announced.
                "moved-later@16",
                // The storing thread's fence lies behind the writes of all, which the barrier orders before it.
                "moved-later@26",
                // A wait too many, where there is nothing to load any more.
                "moved-earlier@34",
                // Threads that store nothing wait for nothing.
                "without-guard@36",
                // Threads that have stored nothing wait for nothing.
                "moved-earlier@37", "moved-later@37"), names(results, MutantVerdict.HARMLESS));
    }
}
