package dev.tilewright.gpu.device;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Target;

/**
 * A GPU, as the driver describes it.
 *
 * @param ordinal its number among the devices that this process sees, from 0
 * @param name such as {@code NVIDIA H100 80GB HBM3}
 * @param major compute capability's major number
 * @param minor compute capability's minor number
 * @param totalMemory bytes of device memory
 * @param multiprocessors how many it has
 * @param sharedMemoryPerBlock bytes of shared memory that one block can have when it asks for more than the default
 *     (CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
 */
public record DeviceInfo(int ordinal, String name, int major, int minor, long totalMemory, int multiprocessors,
        int sharedMemoryPerBlock) {
    public DeviceInfo {
        NotNull.all("name", name);
    }

    /** The most capable target that its kernels can be compiled for. */
    public Target target() {
        return Target.ofDevice(major, minor);
    }
}
