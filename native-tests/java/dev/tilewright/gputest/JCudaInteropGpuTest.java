package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.JCudaInterop;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.util.List;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application that uses JCuda itself can mix its own calls with Tilewright's. */
@Tag("gpu")
class JCudaInteropGpuTest {

    @Test
    void aBufferIsFilledAndReadByJCudaAndCopiedByAKernel() {
        CudaDriver driver = TestGpu.atLeast(Target.SM_90);
        float[] numbers = new float[10_007];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i * 0.5f;
        }
        long bytes = 4L * numbers.length;
        BulkCopy copy = BulkCopy.of(ElementType.F32).build();
        try (DeviceBuffer from = driver.allocate(bytes); DeviceBuffer to = driver.allocate(bytes);
                LoadedKernel kernel = driver.load(copy.program())) {
            assertEquals(0, JCudaDriver.cuMemcpyHtoDAsync(JCudaInterop.pointer(from), Pointer.to(numbers), bytes,
                    JCudaInterop.stream(driver.stream())));
            driver.launch(kernel, copy.launch(List.of((long) numbers.length), 0), List.of(from, to));
            assertEquals(0, JCudaDriver.cuStreamSynchronize(JCudaInterop.stream(driver.stream())));
            float[] result = new float[numbers.length];
            assertEquals(0, JCudaDriver.cuMemcpyDtoH(Pointer.to(result), JCudaInterop.pointer(to), bytes));
            assertArrayEquals(numbers, result);
        }
    }

    @Test
    void theContextIsTheDevicesPrimaryOne() {
        CudaDriver driver = TestGpu.atLeast(Target.SM_80);
        driver.synchronize();
        CUcontext current = new CUcontext();
        assertEquals(0, JCudaDriver.cuCtxGetCurrent(current));
        assertEquals(JCudaInterop.context(driver.gpu()), current);
    }
}
