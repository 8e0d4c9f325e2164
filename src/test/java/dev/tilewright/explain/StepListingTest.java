package dev.tilewright.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.explain.picture.PicturePage.Pair;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePresets;
import dev.tilewright.verify.KernelCheck;
import dev.tilewright.verify.SmallCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Steps beside their lines: each line of the source once, each step once, beside the line that it begins in. */
class StepListingTest {
    private static void hold(TileProgram program) {
        CudaSource source = CudaEmitter.emit(program);
        List<Pair> pairs = StepListing.of(program, source);
        List<String> lines = new ArrayList<>();
        List<Integer> steps = new ArrayList<>();
        for (Pair pair : pairs) {
            assertEquals(lines.size() + 1, pair.lines().isEmpty() ? lines.size() + 1 : pair.first());
            lines.addAll(pair.lines());
            if (pair.step() > 0) {
                int line = source.lineOf(pair.step());
                steps.add(pair.step());
                assertTrue(pair.lines().isEmpty() || pair.first() <= line && line < pair.first() + pair.lines().size(),
                        pair::toString);
                assertTrue(pair.lines().stream().noneMatch(text -> text.isBlank() || text.strip().equals("}")),
                        pair::toString);
            }
        }
        assertEquals(source.text(), String.join("\n", lines) + "\n");
        assertEquals(steps.stream().distinct().toList(), steps);
    }

    @Test
    void ofEveryPreset() {
        for (Preset preset : Presets.ALL) {
            hold(KernelCheck.of(SmallCase.all(preset, Schedule.DEFAULT, ElementType.F32)).program());
        }
    }

    @Test
    void ofTileKernels() {
        hold(kernel("softmax", ValueType.F32).lowered(Target.SM_90A, Map.of("columns", 256L)).program());
        hold(kernel("gemm", ValueType.BF16).lowered(Target.SM_90A, Map.of()).program());
    }

    private static TileKernel kernel(String preset, ValueType type) {
        return TilePresets.ALL.stream().filter(p -> p.name().equals(preset)).findFirst().orElseThrow().kernel(type);
    }
}
