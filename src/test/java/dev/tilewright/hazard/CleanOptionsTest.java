package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;

import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.ReferenceDriver;
import dev.tilewright.layout.ElementType;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCheck;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Choices that change which threads do what, and when: no hazard, and the right bytes. */
class CleanOptionsTest {
    private static final List<Long> SHAPE = List.of(150L, 208L);

    static Stream<Arguments> choices() {
        Map<String, List<Map<String, String>>> all = new TreeMap<>();
        all.put("vector-copy", List.of(Map.of("walk", "interleaved", "tile", "4096B")));
        all.put("cp-async-pipeline", List.of(Map.of("stages", "1", "tile", "4096B"), Map.of("walk", "interleaved", "tile", "4096B"),
                Map.of("stages", "1", "walk", "interleaved", "tile", "4096B", "copy-bytes", "4"),
                Map.of("stages", "3", "threads", "96", "tile", "4096B"), Map.of("stages", "2", "tile", "3x64B", "threads", "32"),
                Map.of("stages", "4", "tile", "8x64B", "threads", "32", "walk", "interleaved")));
        all.put("bulk-copy", List.of(Map.of("walk", "interleaved", "tile", "4096B"), Map.of("stages", "1", "tile", "2048B", "cache", "evict_first")));
        all.put("bulk-add", List.of(Map.of("roles", "specialised", "tile", "4096B"), Map.of("tile", "4096B", "threads", "64"),
                Map.of("roles", "specialised", "tile", "4096B", "stages", "1", "threads", "64", "walk", "interleaved"),
                Map.of("roles", "specialised", "tile", "1024B", "stages", "3", "threads", "64", "wait", "token")));
        all.put("tensor-copy", List.of(Map.of("walk", "interleaved", "tile", "8x256B", "cache", "evict_first")));
        all.put("tensor-scale", List.of(Map.of("roles", "specialised", "stages", "2", "threads", "128"),
                Map.of("roles", "specialised", "unswizzle", "step", "walk", "interleaved", "stages", "3", "threads", "96")));
        all.put("tensor-rebind", List.of(Map.of("step", "add", "roles", "specialised", "stages", "2", "threads", "96"),
                Map.of("blocks-per-slab", "3", "tile", "8x256B", "stages", "2"), Map.of("blocks-per-slab", "64", "stages", "1", "cache", "evict_first")));
        return all.entrySet().stream().flatMap(e -> e.getValue().stream()
                .map(changes -> Arguments.of(e.getKey(), new TreeMap<>(changes))));
    }

    @ParameterizedTest
    @MethodSource("choices")
    void haveNoFindingsAndMoveEveryByte(String name, Map<String, String> changes) {
        Preset preset = Presets.named(name);
        for (ElementType type : List.of(ElementType.F32, ElementType.BF16)) {
            for (GridPolicy spread : List.of(GridPolicy.tilesEach(1), GridPolicy.over(3), GridPolicy.over(1),
                    GridPolicy.waves(2, 3))) {
                CleanPresetsTest.check(preset.build(type, SHAPE.size(), changes), SHAPE, spread);
            }
            try (Driver driver = new ReferenceDriver()) {
                for (int each : List.of(1, 2, 7, 1000)) {
                    CopyCase moved = new CopyCase(preset, changes, type, SHAPE, each, 0x3F80, each);
                    assertEquals(Optional.empty(), CopyCheck.run(driver, moved), moved::toString);
                }
            }
        }
    }
}
