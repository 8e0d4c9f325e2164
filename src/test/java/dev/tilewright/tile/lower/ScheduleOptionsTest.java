package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.BadRequestException;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An option that a kernel takes changes its program; one that would not is refused. */
class ScheduleOptionsTest {
    private static final List<String> OF_PRODUCTS = List.of("steps=1 steps=2", "rows=8 rows=16 rows=32",
            "ahead=0 ahead=1", "band=4 band=8", "cluster=1x1 cluster=2x1 cluster=1x2");
    private static final List<String> OPTIONS = Stream.concat(OF_PRODUCTS.stream(), Stream.of(
            "stages=2 stages=3 stages=4", "groups=1 groups=2", "early=0 early=1", "threads=128 threads=256",
            "resident=1,threads=128 resident=2,threads=128")).toList();
    private static final List<Target> TARGETS = List.of(Target.SM_80, Target.SM_90, Target.SM_90A);
    /** Of all presets, options and targets one in so many is tried in an ordinary run: a prime. */
    private static final int THINNED = 97;
    /** Whose products are not on the product path: all options of products are tried on Hopper. */
    private static final List<String> ALWAYS = List.of("attention", "attention-paged", "gemm-w4");

    @Test
    void noTwoValuesMakeTheSameProgram() {
        List<String> same = new ArrayList<>();
        int number = 0;
        for (TilePreset preset : TilePresets.ALL) {
            for (String option : OPTIONS) {
                for (Target target : TARGETS) {
                    if (number++ % Thorough.of(THINNED, 1) == 0 || ALWAYS.contains(preset.name())
                            && target == Target.SM_90A && OF_PRODUCTS.contains(option)) {
                        same.addAll(alike(preset, option, target));
                    }
                }
            }
        }
        assertEquals(List.of(), same);
    }

    /** Which values of an option have the program of another one. */
    private static List<String> alike(TilePreset preset, String option, Target target) {
        Map<String, String> programs = new HashMap<>();
        List<String> same = new ArrayList<>();
        for (String value : option.split(" ")) {
            try {
                TileKernel kernel = preset.kernel().with(Schedule.parse(value.replace(',', ' ')));
                String other = programs.put(CudaEmitter.emit(kernel.lowered(target, preset.extents()).program()).text(),
                        value);
                if (other != null) {
                    same.add(preset.name() + " for " + target + ": " + other + " and " + value);
                }
            } catch (IllegalArgumentException _) {
                // It says what the kernel takes.
            }
        }
        return same;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "attention | band=4 stages=2 | has no band to choose, got band=4: attention by wgmma takes stages and "
                    + "groups",
            "attention-paged | cluster=2x1 | has no cluster to choose, got cluster=2x1: attention by wgmma takes "
                    + "stages and groups",
            "gemm-w4 | groups=2 | has no groups to choose, got groups=2: a product whose weights are packed takes "
                    + "stages",
            "gemm-w8 | rows=8 | has no rows to choose, got rows=8: a product whose weights are packed takes stages"})
    void aRefusalSaysWhatTheKernelTakes(String preset, String schedule, String wanted) {
        TilePreset of = TilePresets.find(preset).orElseThrow();
        TileKernel kernel = of.kernel().with(Schedule.parse(schedule));
        assertEquals("kernel '" + kernel.name() + "' " + wanted + "; leave it out", assertThrows(
                BadRequestException.class, () -> kernel.lowered(Target.SM_90A, of.extents())).getMessage());
    }

    /** Threads of f32 and f64 wait for nothing that could be ahead. */
    @ParameterizedTest
    @CsvSource({"gemm-f32, F32", "gemm-f64, F64"})
    void productsOfThreadsHaveNoProductsAhead(String preset, ValueType type) {
        TilePreset of = TilePresets.find(preset).orElseThrow();
        TileKernel kernel = of.kernel(type).with(Schedule.parse("ahead=1"));
        String message = assertThrows(BadRequestException.class, () -> kernel.lowered(Target.SM_90A, of.extents()))
                .getMessage();
        assertEquals("kernel 'gemm' has no ahead to choose, got ahead=1: threads that multiply f32 or f64 finish a "
                + "stage before the next one", message.replaceAll(", and no cp.async.*|; leave it out", ""));
    }
}
