package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.ptx.Target;
import java.util.List;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The NVRTC that is chosen for a machine makes cubins that its driver loads, and what NVRTC does not survive costs a
 * kernel.
 */
@Tag("gpu")
class CompilerProcessGpuTest {
    private static final String FILL = "extern \"C\" __global__ void fill(float *p) { p[threadIdx.x] = 2.0f; }";
    /** NVRTC 12.9 ends the process that it is in; 13.3 compiles it. */
    private static final String FATAL =
            "extern \"C\" __global__ void k(unsigned long long p) { asm volatile(\"prefetch.local.L2 [%0];\" :: "
            + "\"l\"(p)); }";

    @Test
    void theDriverLoadsWhatTheChosenCompilerMakes() {
        Gpu gpu = TestGpu.atLeast(Target.SM_80);
        Nvrtc nvrtc = Nvrtc.find(Progress.NONE);
        String known = Devices.probe().driverVersion();
        assertTrue(Integer.parseInt(nvrtc.version().split("\\.")[0]) <= Integer.parseInt(known.split("\\.")[0]),
                nvrtc.version() + " for a driver of " + known);
        try {
            nvrtc.compile(FATAL, "k", gpu.target(), List.of());
        } catch (CompilationException e) {
            assertTrue(e.getMessage().contains(" crashed when it compiled kernel 'k' for "), e.getMessage());
        }
        byte[] cubin = nvrtc.compile(FILL, "fill", gpu.target(), List.of());
        CUmodule module = new CUmodule();
        gpu.synchronize();
        assertTrue(JCudaDriver.cuModuleLoadData(module, cubin) == 0);
        JCudaDriver.cuModuleUnload(module);
        assertThrows(CompilationException.class, () -> nvrtc.compile("nonsense", "k", gpu.target(), List.of()));
    }
}
