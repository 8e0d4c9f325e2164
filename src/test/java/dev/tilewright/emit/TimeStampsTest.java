package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.ProgramBuilder;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.KernelCheck;
import dev.tilewright.verify.SmallCase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Time stamps: every step that is stamped has its call, the text without them is as before, and it compiles. */
class TimeStampsTest {
    private static final TimeStamps STAMPS = new TimeStamps(List.of(0, 33), 64);

    private static String unwrapped(String text) {
        return text.replaceAll(",\\n\\s+", ", ");
    }

    private static TileProgram stamped(Preset preset) {
        return KernelCheck.of(SmallCase.all(preset, Schedule.DEFAULT, ElementType.F32))
                .first((launch, memory) -> STAMPS.launch(launch, memory.size())).program();
    }

    @Test
    void everyStepThatTouchesMemoryOrWaits() {
        for (Preset preset : Presets.ALL) {
            TileProgram program = stamped(preset);
            String with = CudaEmitter.emit(program, EmitOptions.DEFAULT.withStamps(STAMPS)).text();
            StepNumbers steps = new StepNumbers(program);
            for (int n = 1; n <= steps.count(); n++) {
                assertEquals(TimeStamps.isStamped(steps.step(n).operation()), with.contains("stamp(stamps, " + n
                        + ");"), preset.name() + ", step " + n);
            }
            // All that is more are the stamps' own lines.
            String without = CudaEmitter.emit(program, EmitOptions.DEFAULT).text();
            assertFalse(without.contains("stamp("), without);
            Set<String> lines = unwrapped(with).replace("TimeStamps& stamps, ", "")
                    .replace("(stamps, ", "(").replace(", stamps, ", ", ").replace(", TimeStamps& stamps", "")
                    .replace(", stamps)", ")").lines().collect(Collectors.toSet());
            assertEquals(List.of(), unwrapped(without).lines().filter(line -> !lines.contains(line)).toList(),
                    preset::name);
        }
    }

    @Test
    void compiles() throws Exception {
        Nvrtc nvrtc = EmbeddedCompiler.release("13.3");
        for (String name : List.of("tensor-scale", "bulk-add", "vector-copy")) {
            TileProgram program = stamped(Presets.CATALOG.find(name).orElseThrow());
            CudaSource source = CudaEmitter.emit(program, EmitOptions.BOUNDED.withStamps(STAMPS));
            EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), Target.SM_90A, List.of());
        }
    }

    @Test
    void ofOneDimension() {
        ProgramBuilder k = ProgramBuilder.of("square", 32).purpose("nothing");
        Launch launch = Launch.named(k.build(b -> b.syncThreads()), Dim3.of(2, 2), Map.of());
        assertEquals("time stamps are of blocks and grids of one dimension, and kernel 'square' has blocks of 32 "
                + "threads in a grid of 2 x 2", assertThrows(IllegalArgumentException.class,
                        () -> STAMPS.launch(launch, 0)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> new TimeStamps(List.of(), 64));
        assertThrows(IllegalArgumentException.class, () -> new TimeStamps(List.of(0), 1));
    }
}
