package dev.tilewright.gpu;

import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * A device that holds memory and runs kernels: a GPU through the CUDA driver ({@link CudaDriver}), or the CPU through
 * the reference executor ({@link ReferenceDriver}). All that code needs to know of a backend it asks here, so that what
 * is written against a driver runs on every backend, and is tested anywhere.
 *
 * <p>A driver is used by one thread at a time, but for {@link #load} and the closing of kernels, which any thread may do
 * at any time. Calls are ordered: a launch sees every upload before it, a download sees every launch before it. A failure
 * carries the call and the device's error.
 */
public interface Driver extends AutoCloseable {

    /** What this is a driver of. */
    Backend backend();

    /**
     * Whether what launches leave in memory is right by definition, so that others are compared with it and it with
     * none: true of the reference executor alone.
     */
    default boolean definesResults() {
        return false;
    }

    /** What the device calls itself. */
    String name();

    /** The most capable target that kernels are compiled for on this device. */
    Target target();

    /** The most dynamic shared memory of one block, in bytes. */
    int sharedMemoryPerBlock();

    /**
     * New memory with unspecified contents.
     *
     * @param bytes at least 0
     * @throws IllegalArgumentException if the host has not so much, where its memory is the device's
     * @throws OutOfDeviceMemoryException if the device has not so much
     */
    DeviceBuffer allocate(long bytes);

    /**
     * Copies host memory to the buffer's first bytes.
     *
     * @param host off-heap memory, no larger than the buffer
     */
    void upload(MemorySegment host, DeviceBuffer to);

    /**
     * Fills host memory with the buffer's first bytes, after all launches so far have ended.
     *
     * @param host off-heap memory, no larger than the buffer
     */
    void download(DeviceBuffer from, MemorySegment host);

    /** Sets every byte of the buffer. */
    void fill(DeviceBuffer buffer, byte value);

    /**
     * Starts a copy between two buffers of this device, from the first byte of each.
     *
     * @param bytes how much to copy, no more than either buffer has
     */
    void copy(DeviceBuffer from, DeviceBuffer to, long bytes);

    /**
     * Makes a kernel ready: emits it, compiles it or takes it from the cache, and loads it.
     *
     * @throws dev.tilewright.MissingRequirementException if the device is not capable enough, or NVRTC is not there
     * @throws CompilationException if the emitted source does not compile
     */
    LoadedKernel load(TileProgram program);

    /**
     * Starts a kernel. @param buffers the launch's buffers, by their numbers
     *
     * @throws IllegalArgumentException if the launch is of another program than the kernel, or names a missing buffer
     */
    void launch(LoadedKernel kernel, Launch launch, List<DeviceBuffer> buffers);

    /** Waits for everything started so far; a fault of any launch surfaces here at the latest. */
    void synchronize();

    /**
     * Milliseconds that the device spends on what {@code work} starts. By the host's clock, from when everything before
     * has ended until everything started has, where the device has none of its own.
     */
    default double time(Runnable work) {
        Objects.requireNonNull(work, "work");
        synchronize();
        long start = System.nanoTime();
        work.run();
        synchronize();
        return (System.nanoTime() - start) / 1e6;
    }

    @Override
    void close();
}
