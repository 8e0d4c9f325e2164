package dev.tilewright.gpu;

import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.state.DeviceModel;
import dev.tilewright.gpu.emulation.state.ExecutionOrder;
import dev.tilewright.gpu.module.KernelImages;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.stream.Stream;

/** GPUs of an emulated driver, for tests of what stands above it. */
final class EmulatedGpus {
    static final DeviceModel MODEL = DeviceModel.hopper(1L << 30);

    private final EmulatedCuda cuda;

    EmulatedGpus() {
        this(1);
    }

    EmulatedGpus(int count) {
        this(ExecutionOrder.LAZY, count);
    }

    EmulatedGpus(ExecutionOrder order, int count) {
        this(new EmulatedCuda(order, Stream.generate(() -> MODEL).limit(count).toArray(DeviceModel[]::new)));
    }

    /** @param cuda a driver of GPUs as {@link #MODEL} describes them */
    EmulatedGpus(EmulatedCuda cuda) {
        this.cuda = cuda;
        cuda.cuInit(0);
    }

    EmulatedCuda cuda() {
        return cuda;
    }

    Gpu open() {
        return open(0);
    }

    Gpu open(int ordinal) {
        DeviceInfo info = new DeviceInfo(ordinal, MODEL.name(), MODEL.major(), MODEL.minor(), MODEL.memory(),
                MODEL.multiprocessors(), MODEL.sharedMemoryPerBlock());
        return new Gpu(cuda, info, new KernelImages() {
            @Override
            public Compilation of(TileProgram program) {
                return new Compilation(cuda.image(program), List.of());
            }

            @Override
            public Compilation of(CudaFunction function) {
                throw new UnsupportedOperationException("CUDA C++ is not emulated");
            }
        }, EncoderChoice.JAVA, null);
    }

    /** What is open. */
    List<String> leaks() {
        return cuda.leaks();
    }
}
