package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Small launches that still go through everything. */
class SmallCaseTest {

    static List<Preset> presets() {
        return Presets.ALL;
    }

    @ParameterizedTest
    @MethodSource("presets")
    void severalBlocksOfManyTilesAndLittleData(Preset preset) {
        for (ElementType type : List.of(ElementType.U8, ElementType.F32, ElementType.F64)) {
            CopyCase small = SmallCase.of(preset, Schedule.DEFAULT, type);
            assertTrue(small.launch().blocks() >= 3 && small.launch().blocks() <= 6,
                    small + ": " + small.launch().blocks());
            assertEquals(2 * small.kernel().stages() + 1, small.tilesPerBlock(), small.toString());
            assertTrue(small.bytes() <= 1 << 20, small.toString());
        }
    }

    @Test
    void optionsCount() {
        CopyCase small = SmallCase.of(Presets.named("bulk-copy"), Schedule.parse("stages=2 tile=64 step=scale"),
                ElementType.F32);
        assertEquals(5, small.tilesPerBlock());
        assertEquals(3, small.launch().blocks());
    }

    @ParameterizedTest
    @MethodSource("presets")
    void onlyBlocksThatShareASlabHaveACaseOfIt(Preset preset) {
        List<CopyCase> cases = SmallCase.all(preset, Schedule.DEFAULT, ElementType.F32);
        int ordinary = cases.getFirst().tilesPerBlock();
        assertEquals(preset.name().equals("tensor-rebind"), cases.stream().anyMatch(c -> c.tilesPerBlock() > ordinary));
    }
}
