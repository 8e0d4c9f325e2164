package dev.tilewright.gpu;

import dev.tilewright.gpu.emulation.DeviceModel;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import dev.tilewright.gpu.emulation.ExecutionOrder;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.stream.Stream;

/** GPUs of an emulated driver, for tests of what stands above it. */
final class EmulatedGpus {
    private static final long MEMORY = 1L << 30;

    private final EmulatedCuda cuda;
    private final DeviceModel model = DeviceModel.hopper(MEMORY);

    EmulatedGpus() {
        this(1);
    }

    EmulatedGpus(int count) {
        this(ExecutionOrder.LAZY, count);
    }

    EmulatedGpus(ExecutionOrder order, int count) {
        cuda = new EmulatedCuda(order, Stream.generate(() -> model).limit(count).toArray(DeviceModel[]::new));
        cuda.cuInit(0);
    }

    EmulatedCuda cuda() {
        return cuda;
    }

    Gpu open() {
        return open(0);
    }

    Gpu open(int ordinal) {
        DeviceInfo info = new DeviceInfo(ordinal, model.name(), model.major(), model.minor(), model.memory(),
                model.multiprocessors(), model.sharedMemoryPerBlock());
        return new Gpu(cuda, info, new KernelImages() {
            @Override
            public byte[] of(TileProgram program) {
                return cuda.image(program);
            }

            @Override
            public byte[] of(CudaFunction function) {
                throw new UnsupportedOperationException("CUDA C++ is not emulated");
            }
        }, EncoderChoice.JAVA);
    }

    /** What is open. */
    List<String> leaks() {
        return cuda.leaks();
    }
}
