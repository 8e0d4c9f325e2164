package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.examples.Example;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.MapKernels;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is emitted compiles, by the embedded NVRTC 12.9: each preset for the least target that it says it needs. */
class PresetsCompileTest {
    private static Nvrtc nvrtc;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("12.9");
    }

    private static void compile(CudaSource source, Target target) {
        EmbeddedCompiler.kernels(nvrtc, source.text(), List.of(source.kernelName()), target);
    }

    private static CudaSource source(String preset, ElementType type, Schedule changes) {
        return CudaEmitter.emit(Presets.named(preset).build(type, 2, changes).program());
    }

    /** Each preset with one of the steps, in turn; with {@code -Dtilewright.thorough=true} with all. */
    @ParameterizedTest
    @EnumSource
    void everyStepOfEveryType(ElementType type) {
        int turn = type.ordinal();
        for (String preset : new String[] {"cp-async-pipeline", "bulk-copy", "tensor-copy", "tensor-rebind"}) {
            for (String step : new String[] {"copy", "scale", "add"}) {
                CudaSource source = source(preset, type, Schedule.DEFAULT.with("step", step));
                assertEquals(Presets.named(preset).minimumTarget(), source.minimumTarget());
                if (turn++ % Thorough.of(3, 1) == 0) {
                    compile(source, source.minimumTarget());
                }
            }
            turn++;
        }
        compile(source("tensor-copy-128b", type, Schedule.parse("step=add")), Target.SM_90);
    }

    static Stream<Preset> presets() {
        return Presets.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("presets")
    void everyPreset(Preset preset) {
        CudaSource source = CudaEmitter.emit(preset.build(ElementType.F32).program());
        assertEquals(preset.minimumTarget(), source.minimumTarget());
        compile(source, preset.minimumTarget());
        compile(CudaEmitter.emit(preset.build(ElementType.F32).program(), EmitOptions.BOUNDED), Target.SM_90A);
    }

    @ParameterizedTest
    @EnumSource
    void everyExample(Example example) {
        CudaSource source = CudaEmitter.emit(example.program());
        compile(source, source.minimumTarget());
        compile(source, Target.SM_90A);
    }

    @ParameterizedTest
    @EnumSource(names = {"U8", "BF16", "F64"})
    void otherOptions(ElementType type) {
        compile(source("cp-async-pipeline", type, Schedule.parse("copy-bytes=8 stages=8 tile=7x48B")),
                Target.SM_80);
        compile(source("cp-async-pipeline", type, Schedule.parse("stages=2 threads=1024")), Target.SM_80);
        compile(source("bulk-copy", type, Schedule.parse("wait=token stages=1 step=add")), Target.SM_90);
        compile(source("tensor-copy", type, Schedule.parse("tile=3x2x1x2x32B unswizzle=step swizzle=32B "
                + "wait=token")), Target.SM_90);
        compile(source("tensor-copy", type, Schedule.parse("tile=64B unswizzle=step")), Target.SM_90);
    }

    @Test
    void everyStepThatChangesATensorMap() {
        compile(CudaEmitter.emit(MapKernels.bytes(3, MapKernels.edits())), Target.SM_90A);
        compile(CudaEmitter.emit(MapKernels.load(3, List.of(), 3, 16, 16)), Target.SM_90A);
        compile(CudaEmitter.emit(MapStepsTextTest.everyStep()), Target.SM_90A);
    }

    @ParameterizedTest
    @MethodSource("presets")
    void theLeastTargetIsNoMoreThanNeeded(Preset preset) {
        if (!preset.minimumTarget().equals(Target.SM_80)) {
            CudaSource source = CudaEmitter.emit(preset.build(ElementType.F32).program());
            CompilationException e = assertThrows(CompilationException.class,
                    () -> nvrtc.compile(source.text(), source.kernelName(), Target.SM_89, KernelCompiler.OPTIONS));
            assertTrue(e.getMessage().contains("sm_90 or higher"), e.getMessage());
        }
    }

    @Test
    void aBrokenSourceIsShownWhereItIsBroken() {
        CudaSource source = source("bulk-copy", ElementType.F32, Schedule.DEFAULT);
        String line = "            ptx::mbarrier_init(ptx::shared_address(full + stage), 1);";
        String broken = source.text().replace(line, line.replace("1);", "arrivals);"));
        int number = source.text().substring(0, source.text().indexOf(line)).split("\n", -1).length;
        CompilationException e = assertThrows(CompilationException.class,
                () -> nvrtc.compile(broken, source.kernelName(), Target.SM_90, KernelCompiler.OPTIONS));
        String[] lines = e.getMessage().split("\n");
        assertEquals("NVRTC 12.9 did not compile kernel 'bulk_copy' for sm_90 with --fmad=false "
                + "(NVRTC_ERROR_COMPILATION):", lines[0]);
        assertEquals("bulk_copy.cu(" + number + "): error: identifier \"arrivals\" is undefined", lines[1]);
        assertTrue(e.getMessage().contains("\n  > %4d | %s\n".formatted(number, line.replace("1);", "arrivals);"))),
                e.getMessage());
    }

    @Test
    void brokenPtxIsTheAssemblersWord() {
        CudaSource source = source("cp-async-pipeline", ElementType.F32, Schedule.DEFAULT);
        String broken = source.text().replace("\"cp.async.commit_group;\"", "\"cp.async.commit_groups;\"");
        CompilationException e = assertThrows(CompilationException.class,
                () -> nvrtc.compile(broken, source.kernelName(), Target.SM_80, KernelCompiler.OPTIONS));
        assertTrue(e.getMessage().contains("commit_groups"), e.getMessage());
    }
}
