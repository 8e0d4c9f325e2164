package dev.tilewright.gpu;

import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.util.Arrays;

/** A {@link Kernel} of a {@link CudaDriver}, with its last launch, which is taken again where it is the same. */
final class CudaKernel implements LoadedKernel {
    private final Kernel kernel;
    private final TileProgram program;
    private KernelLaunch prepared;
    private Launch lastLaunch;
    private Buffer<?>[] lastBuffers;

    CudaKernel(Kernel kernel, TileProgram program) {
        this.kernel = kernel;
        this.program = program;
    }

    Kernel kernel() {
        return kernel;
    }

    void launch(Launch launch, Buffer<?>[] buffers, Stream stream) {
        if (launch != lastLaunch || !Arrays.equals(buffers, lastBuffers)) {
            prepared = kernel.prepare().allowLargerTensors().take(launch, buffers).on(stream);
            lastLaunch = launch;
            lastBuffers = buffers;
        }
        prepared.start();
    }

    @Override
    public TileProgram program() {
        return program;
    }

    @Override
    public int residentBlocks() {
        return kernel.residentBlocks();
    }

    @Override
    public void close() {
        kernel.close();
    }
}
