package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.TileLaunch;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every preset that is a tile kernel; that it leaves the executor's bytes, verify's cases hold. */
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
    @MethodSource("presets")
    void isCleanInEveryType(TilePreset preset) {
        for (ValueType type : preset.types()) {
            List<HazardReport> reports = TileLaunch.small(preset.kernel(type), Map.of(), Target.SM_90A).check()
                    .reports();
            assertTrue(reports.stream().allMatch(HazardReport::isClean), () -> type + "\n" + reports);
        }
    }

    @ParameterizedTest
    @MethodSource("presets")
    void runsOnTheLeastTargetThatItSays(TilePreset preset) {
        assertEquals(preset.minimumTarget(), preset.kernel().lowered(preset.minimumTarget(), preset.extents())
                .program().minimumTarget());
        for (ValueType type : preset.types()) {
            preset.kernel(type).lowered(preset.minimumTarget(), preset.extents());
        }
    }

    @Test
    void otherTypesAreRefused() {
        assertEquals("preset 'softmax' has elements of f32, bf16, f16, f64, got i32",
                assertThrows(BadRequestException.class, () -> TilePresets.find("softmax").orElseThrow()
                        .kernel(ValueType.I32)).getMessage());
    }
}
