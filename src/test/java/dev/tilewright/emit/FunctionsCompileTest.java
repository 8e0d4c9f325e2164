package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.functions.FunctionKernels;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A kernel of each function compiles, for the oldest target and for Hopper. */
class FunctionsCompileTest {

    @Test
    void everyFunction() {
        Nvrtc nvrtc = EmbeddedCompiler.release("12.9");
        for (TileProgram program : FunctionKernels.all()) {
            CudaSource source = CudaEmitter.emit(program);
            for (Target target : List.of(Target.SM_80, Target.SM_90A)) {
                EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), target,
                        KernelCompiler.OPTIONS);
            }
        }
    }

    @Test
    void oneDeviceFunctionForAllItsCalls() {
        TileProgram program = FunctionKernels.of("thrice", ValueType.F32,
                x -> x.exp().exp().plus(x.tanh()).plus(x.exp()));
        String text = CudaEmitter.emit(program).text();
        assertEquals(List.of(1L, 1L), List.of(count(text, "float exp_f32("), count(text, "float tanh_f32(")));
        assertEquals(3, count(text, "function::exp_f32("));
    }

    private static long count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }
}
