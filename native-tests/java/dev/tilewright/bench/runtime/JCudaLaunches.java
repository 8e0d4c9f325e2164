package dev.tilewright.bench.runtime;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.JCudaInterop;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.Stream;
import java.util.List;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** Launches through JCuda, which is loaded when they are asked for. */
final class JCudaLaunches {

    private JCudaLaunches() { }

    static LaunchMethod.Submission of(Kernel kernel, Stream stream, List<Buffer<int[]>> buffers, int launches) {
        JCudaDriver.setExceptionsEnabled(true);
        CUfunction function = JCudaInterop.function(kernel);
        CUstream queue = JCudaInterop.stream(stream);
        Pointer arguments = buffers.isEmpty() ? null : Pointer.to(
                Pointer.to(new long[] {buffers.get(0).address()}), Pointer.to(new long[] {buffers.get(1).address()}),
                Pointer.to(new int[] {LaunchMethod.FACTOR}), Pointer.to(new int[] {RivalKernels.ELEMENTS}));
        return LaunchMethod.submission(() -> kernel.gpu().inContext(() -> {
            for (int i = 0; i < launches; i++) {
                JCudaDriver.cuLaunchKernel(function, 1, 1, 1, RivalKernels.ELEMENTS, 1, 1, 0, queue, arguments, null);
            }
        }), () -> { });
    }
}
