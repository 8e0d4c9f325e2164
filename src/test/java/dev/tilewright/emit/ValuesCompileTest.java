package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.Nvrtc;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.draw.ValueOperands;
import dev.tilewright.verify.draw.ValuePrograms;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every operation on values and every conversion is compiled for the targets that it is for, by both NVRTCs. */
class ValuesCompileTest {

    @ParameterizedTest
    @CsvSource({"12.9, sm_80", "12.9, sm_90a", "13.3, sm_80", "13.3, sm_89", "13.3, sm_90a"})
    void itCompiles(String release, String targetName) {
        Nvrtc nvrtc = EmbeddedCompiler.release(release);
        Target target = Target.parse(targetName);
        List<ValueCase> cases = ValueCase.all().stream().filter(c -> c.gate().admits(nvrtc.ptxVersion(),
                target)).toList();
        assertFalse(cases.isEmpty());
        assertTrue(nvrtc.compile(ValueCase.source(cases), "values", target, CudaDriver.COMPILE_OPTIONS).length > 0);
        List<ValueCase> some = IntStream.range(0, cases.size()).filter(i -> i % 8 == 0).mapToObj(cases::get).toList();
        List<long[][]> words = some.stream().map(c -> IntStream.range(0, 4).mapToObj(i -> IntStream.range(0, 3)
                .mapToLong(k -> ValueOperands.words(c.inputs().get(Math.min(k, c.inputs().size() - 1)), 8, k,
                        new long[0])[i])
                .toArray()).toArray(long[][]::new)).toList();
        String constants = ValueCase.constantSource(some, words);
        assertTrue(nvrtc.compile(constants, "constants", target, CudaDriver.COMPILE_OPTIONS).length > 0);
        assertTrue(nvrtc.compile(ValueCase.approximationSource(), "approximations", target, CudaDriver.COMPILE_OPTIONS)
                .length > 0);
        System.out.println("NVRTC " + release + ", " + target + ": " + cases.size() + " operations on values");
    }

    @ParameterizedTest
    @CsvSource({"12.9, sm_80, false", "13.3, sm_89, true", "12.9, sm_90a, true"})
    void randomTreesCompile(String release, String targetName, boolean fp8) {
        Nvrtc nvrtc = EmbeddedCompiler.release(release);
        Target target = Target.parse(targetName);
        for (long seed = 50; seed < 54; seed++) {
            CudaSource source = CudaEmitter.emit(ValuePrograms.random(seed, fp8).program());
            assertTrue(source.gate().admits(nvrtc.ptxVersion(), target), source.gate().toString());
            assertTrue(nvrtc.compile(source.text(), source.kernelName(), target,
                    CudaDriver.COMPILE_OPTIONS).length > 0);
        }
    }
}
