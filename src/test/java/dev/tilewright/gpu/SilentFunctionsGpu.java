package dev.tilewright.gpu;

import dev.tilewright.gpu.emulation.DeviceModel;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.ExecutionOrder;
import dev.tilewright.program.Body;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.TileProgram;
import java.util.List;

/**
 * An emulated GPU on which functions in CUDA C++ can be loaded and launched, and do nothing: for tests of code that launches
 * them beside tile programs.
 */
public final class SilentFunctionsGpu {
    private SilentFunctionsGpu() { }

    public static Gpu open() {
        DeviceModel model = DeviceModel.hopper(1L << 30);
        EmulatedCuda cuda = new EmulatedCuda(ExecutionOrder.LAZY, model);
        cuda.cuInit(0);
        DeviceInfo info = new DeviceInfo(0, model.name(), model.major(), model.minor(), model.memory(), model.multiprocessors(),
                model.sharedMemoryPerBlock());
        return new Gpu(cuda, info, new KernelImages() {
            @Override
            public byte[] of(TileProgram program) {
                return cuda.image(program);
            }

            @Override
            public byte[] of(CudaFunction function) {
                return cuda.image(new TileProgram(function.name(), "does nothing", (int) function.block().count(),
                        function.parameters(), new SharedLayout(List.of()), Body.steps(_ -> { })));
            }
        }, EncoderChoice.JAVA);
    }
}
