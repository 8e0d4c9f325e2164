package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The tensor maps that presets launch with break no rule: the driver would take each of them. */
class PresetTensorMapsTest {
    private static final List<Preset> WITH_MAPS =
            Presets.ALL.stream().filter(p -> p.mechanism() == TensorCopy.MECHANISM).toList();

    private static final int CASES = Thorough.of(80, 1000);

    @Test
    void ofRandomCasesOfSeed21() {
        CopyCases cases = new CopyCases(WITH_MAPS, 21);
        int maps = 0;
        for (int i = 0; i < CASES; i++) {
            CopyCase copyCase = cases.next();
            maps += check(copyCase.launch(), copyCase.toString());
        }
        // One map each where the threads write the result, else two.
        assertTrue(maps > CASES * 1.3, Integer.toString(maps));
    }

    @Test
    void ofEveryPresetTypeAndShapeOfEveryRank() {
        Predicate<Object> share = Thorough.share(5);
        for (Preset preset : WITH_MAPS) {
            for (ElementType type : ElementType.values()) {
                long row = 16L / type.bytes();
                for (List<Long> shape : List.of(List.of(row), List.of(100_016L), List.of(1L, row),
                        List.of(77L, 11 * row), List.of(3L, 5L, 7 * row), List.of(2L, 3L, 4L, row),
                        List.of(2L, 3L, 4L, 5L, 6 * row), List.of(1L << 15, 1L << 15), List.of(0L, 64L))) {
                    if (!share.test(shape)) {
                        continue;
                    }
                    check(preset.build(type, shape.size(), Schedule.DEFAULT).launch(shape, 0),
                            preset.name() + " " + type + " " + shape);
                }
            }
        }
    }

    private static int check(Launch launch, String what) {
        int maps = 0;
        for (Argument argument : launch.arguments()) {
            if (argument instanceof Argument.Tensor(TiledTensorMap map, int _, long _)) {
                assertEquals(List.of(), map.validate(Target.SM_90).errors(), what);
                assertTrue(TensorMapEncoder.java().encode(map, 1 << 20, Target.SM_90A).address() != 0);
                maps++;
            }
        }
        return maps;
    }
}
