package dev.tilewright.doctor.machine;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.tilewright.gpu.cuda.DeviceApi;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.gpu.device.DeviceInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * A GPU that CUDA sees: a whole one, or an instance of one that is divided (MIG).
 *
 * @param ordinal its number in this process, from 0
 * @param name such as {@code NVIDIA H100 80GB HBM3}
 * @param major compute capability's major number
 * @param minor compute capability's minor number
 * @param target the most capable target that its kernels can be compiled for, such as {@code sm_90a}
 * @param memory bytes of device memory
 * @param multiprocessors how many it has
 * @param sharedMemoryPerBlock bytes that one block can have
 * @param computeMode who may use it
 * @param uuid 8-4-4-4-12 hexadecimal digits, without a prefix; empty if unknown
 */
public record CudaDevice(int ordinal, String name, int major, int minor, String target, long memory,
        int multiprocessors, int sharedMemoryPerBlock, ComputeMode computeMode, String uuid) {

    // CUdevice_attribute, cuda.h.
    private static final int COMPUTE_MODE = 20;
    private static final int UUID_BYTES = 16;

    static CudaDevice look(DeviceInfo info, DeviceApi api) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            int device = api.cuDeviceGet(number, info.ordinal()) == CudaError.SUCCESS ? number.get(JAVA_INT, 0)
                    : info.ordinal();
            ComputeMode mode = api.cuDeviceGetAttribute(number, COMPUTE_MODE, device) == CudaError.SUCCESS
                    ? ComputeMode.of(number.get(JAVA_INT, 0)) : ComputeMode.UNKNOWN;
            MemorySegment bytes = arena.allocate(UUID_BYTES);
            String uuid = api.cuDeviceGetUuid(bytes, device) == CudaError.SUCCESS ? text(bytes) : "";
            return new CudaDevice(info.ordinal(), info.name(), info.major(), info.minor(), info.target().toString(),
                    info.totalMemory(), info.multiprocessors(), info.sharedMemoryPerBlock(), mode, uuid);
        }
    }

    private static String text(MemorySegment bytes) {
        ByteBuffer number = ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE));
        return new UUID(number.getLong(), number.getLong()).toString();
    }
}
