package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.draw.ValueOperands;
import dev.tilewright.verify.draw.ValuePrograms;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every operation on values and every conversion is compiled for sm_90a by the newer NVRTC, every fourth by the older
 * one, for other targets every eighth, and all with {@code -Dtilewright.thorough=true}.
 */
@Order(11)
class ValuesCompileTest {

    @ParameterizedTest
    @CsvSource({"12.9, sm_80, 8", "12.9, sm_90a, 4", "13.3, sm_80, 8", "13.3, sm_89, 8", "13.3, sm_90a, 1"})
    void itCompiles(String release, String targetName, int each) {
        Nvrtc nvrtc = EmbeddedCompiler.release(release);
        Target target = Target.parse(targetName);
        List<ValueCase> all = ValueCase.all().stream().filter(c -> c.gate().admits(nvrtc.ptxVersion(), target))
                .toList();
        int stride = Thorough.of(each, 1);
        List<ValueCase> cases = IntStream.range(0, all.size()).filter(i -> i % stride == 0).mapToObj(all::get).toList();
        assertFalse(cases.isEmpty());
        EmbeddedCompiler.compile(nvrtc, ValueCase.source(cases), "values", target, KernelCompiler.OPTIONS);
        List<ValueCase> some = IntStream.range(0, cases.size()).filter(i -> i % 8 == 0).mapToObj(cases::get).toList();
        List<long[][]> words = some.stream().map(c -> IntStream.range(0, 4).mapToObj(i -> IntStream.range(0, 3)
                .mapToLong(k -> ValueOperands.words(c.inputs().get(Math.min(k, c.inputs().size() - 1)), 8, k,
                        new long[0])[i])
                .toArray()).toArray(long[][]::new)).toList();
        String constants = ValueCase.constantSource(some, words);
        EmbeddedCompiler.compile(nvrtc, constants, "constants", target, KernelCompiler.OPTIONS);
        EmbeddedCompiler.compile(nvrtc, ValueCase.approximationSource(), "approximations", target,
                KernelCompiler.OPTIONS);
        System.err.println("NVRTC " + release + ", " + target + ": " + cases.size() + " operations on values");
    }

    @ParameterizedTest
    @CsvSource({"12.9, sm_80, false", "13.3, sm_89, true", "12.9, sm_90a, true"})
    void randomTreesCompile(String release, String targetName, boolean fp8) {
        Nvrtc nvrtc = EmbeddedCompiler.release(release);
        Target target = Target.parse(targetName);
        for (long seed = 50; seed < 54; seed++) {
            CudaSource source = CudaEmitter.emit(ValuePrograms.random(seed, fp8).program());
            assertTrue(source.gate().admits(nvrtc.ptxVersion(), target), source.gate().toString());
            EmbeddedCompiler.compile(nvrtc, source.text(), source.kernelName(), target, KernelCompiler.OPTIONS);
        }
    }
}
