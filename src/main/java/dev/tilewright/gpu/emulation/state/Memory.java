package dev.tilewright.gpu.emulation.state;

import java.lang.foreign.MemorySegment;

/** Memory that the driver knows: of a device, or of the host and page-locked. */
public interface Memory extends Resource {

    /** The address that programs know it by. */
    long address();

    long bytes();

    /** Whether all these bytes are in it. */
    default boolean holds(long from, long count) {
        return from >= address() && count >= 0 && count <= bytes() && from - address() <= bytes() - count;
    }

    /**
     * All of the memory, at the moment at which the GPU uses it.
     *
     * @throws DeviceFault if it is not there, any more or yet
     */
    MemorySegment segment();

    /** Whether a kernel in this context may touch it. */
    boolean isReachableFrom(EmulatedContext other);
}
