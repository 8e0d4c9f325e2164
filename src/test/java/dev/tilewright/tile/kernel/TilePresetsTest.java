package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.mutant.MutantVerdict;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.tile.Dim;
import dev.tilewright.verify.CaseCheck;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.TileCase;
import dev.tilewright.verify.TileKind;
import dev.tilewright.verify.TileLaunch;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every preset that is a tile kernel. */
class TilePresetsTest {

    static Stream<TilePreset> presets() {
        return TilePresets.ALL.stream();
    }

    @Test
    void namesAreUniqueAmongAllPresets() {
        Set<String> names = new HashSet<>(Presets.ALL.stream().map(Preset::name).toList());
        presets().forEach(preset -> {
            assertTrue(names.add(preset.name()), preset.name());
            assertEquals(preset, TilePresets.find(preset.name()).orElseThrow());
        });
    }

    @ParameterizedTest
    @OrdinaryShare(6)
    @MethodSource("presets")
    void leavesTheExecutorsBytes(TilePreset preset) {
        SplittableRandom random = new SplittableRandom(preset.name().hashCode());
        for (TileCase one : new TileKind(List.of(preset)).draw(random, Thorough.of(1, 8))) {
            assertEquals(Optional.empty(), CaseCheck.run(CaseDevice.reference(ReferenceOptions.DEFAULT), one),
                    one::toString);
        }
    }

    /** In its usual type each is checked by {@code check --all}, which .ci/run documents runs. */
    @ParameterizedTest
    @MethodSource("presets")
    @EnabledIfSystemProperty(named = "tilewright.thorough", matches = "true")
    void isCleanInEveryType(TilePreset preset) {
        for (ValueType type : preset.types()) {
            List<HazardReport> reports = TileLaunch.small(preset.kernel(type), preset.most(), Target.SM_90A).check()
                    .reports();
            assertTrue(reports.stream().allMatch(HazardReport::isClean), () -> type + "\n" + reports);
        }
    }

    /** One of them; in a thorough run all. */
    static Stream<TilePreset> broken() {
        return TilePresets.ALL.stream().filter(p -> p.name().equals("row-sums") || Thorough.of(0, 1) == 1);
    }

    @ParameterizedTest
    @MethodSource("broken")
    void everyMistakeThatOneEditMakesIsFound(TilePreset preset) {
        Set<MutantVerdict> verdicts = EnumSet.noneOf(MutantVerdict.class);
        TileLaunch.small(preset.kernel(), preset.most(), Target.SM_90A).check().mutants(2, result -> {
            verdicts.add(result.verdict());
            assertNotEquals(MutantVerdict.MISSED, result.verdict(), () -> result.mutant() + ": " + result.reason());
        });
        assertTrue(preset.name().startsWith("tile-") || verdicts.contains(MutantVerdict.FOUND), verdicts::toString);
    }

    /** In its usual type, in a thorough run in every one. */
    @ParameterizedTest
    @OrdinaryShare(4)
    @MethodSource("presets")
    void runsOnTheLeastTargetThatItSays(TilePreset preset) {
        assertEquals(preset.minimumTarget(), preset.kernel().lowered(preset.minimumTarget(), preset.extents())
                .program().minimumTarget());
        for (ValueType type : preset.types().subList(1, Thorough.of(1, preset.types().size()))) {
            preset.kernel(type).lowered(preset.minimumTarget(), preset.extents());
        }
    }

    /** So that {@code tune} and {@code bench} need no more. */
    @ParameterizedTest
    @MethodSource("presets")
    void sizesSayAllExtents(TilePreset preset) {
        Set<String> dims = preset.kernel().dims().stream().map(Dim::name).collect(Collectors.toSet());
        preset.sizes().forEach(size -> assertEquals(dims, size.keySet()));
        assertEquals(preset.types().getFirst(), preset.measuredTypes().getFirst());
    }

    @Test
    void otherTypesAreRefused() {
        assertEquals("preset 'softmax' has elements of f32, bf16, f16, f64, got i32",
                assertThrows(BadRequestException.class, () -> TilePresets.find("softmax").orElseThrow()
                        .kernel(ValueType.I32)).getMessage());
    }
}
