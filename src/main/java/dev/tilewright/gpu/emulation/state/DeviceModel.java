package dev.tilewright.gpu.emulation.state;

import dev.tilewright.ptx.Target;
import java.util.Objects;

/**
 * What an emulated GPU says of itself.
 *
 * @param name what {@code cuDeviceGetName} gives
 * @param major compute capability's major number
 * @param minor compute capability's minor number
 * @param multiprocessors 1 to 65,536
 * @param sharedMemoryPerBlock bytes that a block can have once it asks for more than 48 KiB
 * @param memory bytes of device memory, 1 to 2^44; host memory is taken only for what is allocated
 */
public record DeviceModel(String name, int major, int minor, int multiprocessors, int sharedMemoryPerBlock,
        long memory) {

    private static final int H200_MULTIPROCESSORS = 132;
    private static final int MOST_MULTIPROCESSORS = 1 << 16;
    private static final long MOST_MEMORY = 1L << 44;

    public DeviceModel {
        Objects.requireNonNull(name, "name");
        Target.ofDevice(major, minor);
        if (multiprocessors < 1 || multiprocessors > MOST_MULTIPROCESSORS || sharedMemoryPerBlock < 0 || memory < 1
                || memory > MOST_MEMORY) {
            throw new IllegalArgumentException("a GPU has 1 to " + MOST_MULTIPROCESSORS + " multiprocessors, at least 0"
                    + " bytes of shared memory and 1 to 2^44 bytes of memory, got " + multiprocessors + ", "
                    + sharedMemoryPerBlock + " and " + memory);
        }
    }

    /** A GPU as an H200 is but for its memory: compute capability 9.0, 132 multiprocessors, 227 KiB for a block. */
    public static DeviceModel hopper(long memory) {
        return of(Target.SM_90A, memory);
    }

    /**
     * A GPU of 132 multiprocessors and of the compute capability of a target.
     *
     * @throws IllegalArgumentException if it is not known how much shared memory a block of such a GPU has
     */
    public static DeviceModel of(Target target, long memory) {
        int shared = target.sharedMemoryPerBlock().orElseThrow(() -> new IllegalArgumentException("no GPU of " + target
                + " is emulated: how much shared memory a block has there is not known"));
        return new DeviceModel("emulated GPU (" + Target.ofDevice(target.major(), target.minor()) + ")", target.major(),
                target.minor(), H200_MULTIPROCESSORS, shared, memory);
    }

    /** The most capable target that runs on it. */
    public Target target() {
        return Target.ofDevice(major, minor);
    }
}
