package dev.tilewright.gpu.streaming;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.layout.Saturating;
import java.lang.foreign.MemorySegment;

/**
 * The memory of all slots of one GPU in a run, in one piece of the device's and one of page-locked memory: getting and
 * freeing a piece for each slot took longer than streaming gigabytes. Safe for use by several threads.
 */
final class GpuRoom {
    /** Every buffer begins at a multiple of this, as a buffer of its own does. */
    private static final long ALIGNMENT = 256;

    private final Gpu gpu;
    private final long deviceBytes;
    private final long hostBytes;
    private Buffer<byte[]> device;
    private PinnedMemory host;
    private boolean drained = true;

    /**
     * Gets nothing yet.
     *
     * @param deviceBytes of all slots
     * @param hostBytes of page-locked memory of all slots
     */
    GpuRoom(Gpu gpu, long deviceBytes, long hostBytes) {
        this.gpu = gpu;
        this.deviceBytes = deviceBytes;
        this.hostBytes = hostBytes;
    }

    static long aligned(long bytes) {
        return Saturating.roundUp(bytes, ALIGNMENT);
    }

    /** Device memory. */
    synchronized Buffer<byte[]> device(long offset, long bytes) {
        if (device == null) {
            device = gpu.bytes(deviceBytes);
        }
        return device.slice(offset, bytes);
    }

    /** Page-locked memory. */
    synchronized MemorySegment host(long offset, long bytes) {
        if (host == null) {
            host = gpu.pinnedPool().take(hostBytes);
        }
        return host.segment().asSlice(offset, bytes);
    }

    /** Something may still be under way there, as a wait for it has failed. */
    synchronized void notDrained() {
        drained = false;
    }

    /** Gives all back, when no slot uses it any more. */
    synchronized void close() {
        try {
            if (host != null && drained) {
                gpu.pinnedPool().give(host);
            } else if (host != null) {
                host.close();
            }
        } finally {
            if (device != null) {
                device.close();
            }
            device = null;
            host = null;
        }
    }
}
