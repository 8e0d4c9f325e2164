package dev.tilewright.gpu.module;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.program.TileProgram;
import java.util.List;

/**
 * Kernels for an emulated GPU: the programs themselves. What a GPU of its kind lacks is refused, as it would be there.
 */
public record EmulatedImages(DeviceInfo info, EmulatedCuda cuda) implements KernelImages {

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
