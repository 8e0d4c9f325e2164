package dev.tilewright.gpu;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.program.TileProgram;
import java.util.List;

/** Kernels for an emulated GPU: the programs themselves. What a GPU of its kind lacks is refused, as it would be there. */
record EmulatedImages(DeviceInfo info, EmulatedCuda cuda) implements KernelImages {

    @Override
    public Compilation of(TileProgram program) {
        CudaImages.requireCapable(program, info);
        return new Compilation(cuda.image(program), List.of());
    }

    @Override
    public Compilation of(CudaFunction function) {
        throw new MissingRequirementException("kernel '" + function.name() + "' is CUDA C++, which needs a GPU: "
                + info.name() + " runs tile programs");
    }
}
