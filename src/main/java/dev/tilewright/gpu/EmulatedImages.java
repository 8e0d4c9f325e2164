package dev.tilewright.gpu;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.program.TileProgram;

/** Kernels for an emulated GPU: the programs themselves. What a GPU of its kind lacks is refused, as it would be there. */
record EmulatedImages(DeviceInfo info, EmulatedCuda cuda) implements KernelImages {

    @Override
    public byte[] of(TileProgram program) {
        CudaImages.requireCapable(program, info);
        return cuda.image(program);
    }

    @Override
    public byte[] of(CudaFunction function) {
        throw new MissingRequirementException("kernel '" + function.name() + "' is CUDA C++, which needs a GPU: "
                + info.name() + " runs tile programs");
    }
}
