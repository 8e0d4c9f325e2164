package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.tilewright.Progress;
import dev.tilewright.emit.ValueCase;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.JCudaInterop;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.value.FixedPowers;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.stream.IntStream;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@link FixedPowers} of every fixed-point number from below -126 to above 128: by the hardware's function, and by what
 * stands in its place on other GPUs.
 */
@Tag("gpu")
class FixedPowersGpuTest {
    private static final String MEASURED = "__CUDA_ARCH__ == 900";

    @Test
    void theHardwaresFunctionHasTheseBits() {
        check(source());
    }

    @Test
    void soHasWhatStandsInItsPlace() {
        String other = source().replace(MEASURED, "false");
        assertNotEquals(source(), other);
        check(other);
    }

    private static ValueCase power() {
        return ValueCase.all().stream().filter(c -> c.name().equals("exp2_fixed_f32")).findFirst().orElseThrow();
    }

    private static String source() {
        return ValueCase.source(List.of(power()));
    }

    private static void check(String source) {
        Gpu gpu = TestGpu.atLeast(Target.SM_90);
        long[] sums = IntStream.range(-130 * 4096, 132 * 4096)
                .mapToLong(i -> Float.floatToRawIntBits((float) (FixedPowers.OFFSET + i / 4096.0))).toArray();
        byte[] cubin = Nvrtc.find(Progress.NONE).compile(source, "powers", gpu.target(), KernelCompiler.OPTIONS);
        long[] powers = new long[sums.length];
        try (Buffer<long[]> in = gpu.longs(sums.length); Buffer<long[]> out = gpu.longs(sums.length);
                Stream stream = gpu.stream()) {
            in.upload(sums);
            CUmodule module = new CUmodule();
            assertEquals(0, JCudaDriver.cuModuleLoadData(module, cubin));
            CUfunction function = new CUfunction();
            assertEquals(0, JCudaDriver.cuModuleGetFunction(function, module, power().name()));
            Pointer from = Pointer.to(JCudaInterop.pointer(in));
            assertEquals(0, JCudaDriver.cuLaunchKernel(function, 1024, 1, 1, 256, 1, 1, 0, JCudaInterop.stream(stream),
                    Pointer.to(from, from, from, Pointer.to(JCudaInterop.pointer(out)),
                            Pointer.to(new int[] {sums.length})), null));
            stream.synchronize();
            out.download(powers);
            assertEquals(0, JCudaDriver.cuModuleUnload(module));
        }
        int different = 0;
        for (int i = 0; i < sums.length; i++) {
            int expected = Float.floatToRawIntBits(FixedPowers.of(Float.intBitsToFloat((int) sums[i])));
            different += (int) powers[i] == expected ? 0 : 1;
        }
        System.err.println(sums.length + " powers of fixed-point numbers compared on " + gpu.name() + ", " + different
                + " differ");
        assertEquals(0, different);
    }
}
