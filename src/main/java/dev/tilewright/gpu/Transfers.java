package dev.tilewright.gpu;

import java.lang.foreign.MemorySegment;

/** Checks that every driver makes of a copy before it starts. */
final class Transfers {

    private Transfers() {
    }

    /** Refuses host memory that a device cannot read, and more of it than the buffer has. */
    static void check(MemorySegment host, DeviceBuffer buffer) {
        if (!host.isNative()) {
            throw new IllegalArgumentException(
                    "host memory must be off-heap: allocate it from an Arena, or map a file");
        }
        if (host.byteSize() > buffer.bytes()) {
            throw new IllegalArgumentException(
                    host.byteSize() + " bytes of host memory do not fit a device buffer of " + buffer.bytes());
        }
    }

    /** Refuses a copy between buffers of more than they have. */
    static void check(DeviceBuffer from, DeviceBuffer to, long bytes) {
        if (bytes < 0 || bytes > from.bytes() || bytes > to.bytes()) {
            throw new IllegalArgumentException("a copy of " + bytes + " bytes does not fit device buffers of "
                    + from.bytes()
                    + " and " + to.bytes());
        }
    }

    /** Refuses a size that no buffer has. */
    static void requireSize(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("a device buffer has at least 0 bytes, got " + bytes);
        }
    }
}
