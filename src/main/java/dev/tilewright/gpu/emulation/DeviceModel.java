package dev.tilewright.gpu.emulation;

import dev.tilewright.program.SharedLayout;
import dev.tilewright.ptx.Target;
import java.util.Objects;

/**
 * What an emulated GPU says of itself.
 *
 * @param name what {@code cuDeviceGetName} gives
 * @param major compute capability's major number
 * @param minor compute capability's minor number
 * @param multiprocessors at least 1
 * @param sharedMemoryPerBlock bytes that a block can have once it asks for more than 48 KiB
 * @param memory bytes of device memory, at least 1; host memory is taken only for what is allocated
 */
public record DeviceModel(String name, int major, int minor, int multiprocessors, int sharedMemoryPerBlock,
        long memory) {

    private static final int H200_MULTIPROCESSORS = 132;

    public DeviceModel {
        Objects.requireNonNull(name, "name");
        Target.ofDevice(major, minor);
        if (multiprocessors < 1 || sharedMemoryPerBlock < 0 || memory < 1) {
            throw new IllegalArgumentException("a GPU has at least 1 multiprocessor, 0 bytes of shared memory and 1"
                    + " byte of memory, got " + multiprocessors + ", " + sharedMemoryPerBlock + " and " + memory);
        }
    }

    /** A GPU as an H200 is but for its memory: compute capability 9.0, 132 multiprocessors, 227 KiB for a block. */
    public static DeviceModel hopper(long memory) {
        return new DeviceModel("emulated GPU (sm_90a)", 9, 0, H200_MULTIPROCESSORS, SharedLayout.LARGEST, memory);
    }

    /** The most capable target that runs on it. */
    Target target() {
        return Target.ofDevice(major, minor);
    }
}
