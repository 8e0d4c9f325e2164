package dev.tilewright.gpu;

import java.lang.foreign.MemorySegment;

/**
 * Page-locked host memory: copies between it and GPUs are asynchronous and as fast as the bus. Of any GPU of the
 * process. It takes memory from the whole machine, and milliseconds to get: allocate it once and keep it.
 */
public final class PinnedMemory implements AutoCloseable {
    private final MemorySegment segment;
    private final Lease lease;

    PinnedMemory(Gpu gpu, long address, long bytes) {
        Context context = gpu.cudaContext();
        this.segment = MemorySegment.ofAddress(address).reinterpret(bytes);
        this.lease = Lease.of(this, context, "the pinned memory of " + bytes + " bytes",
                () -> context.release("cuMemFreeHost", api -> api.cuMemFreeHost(address)));
    }

    /**
     * The memory. It must not be used after this is closed: that is not checked, as it is the driver's.
     *
     * @throws IllegalStateException if this is closed
     */
    public MemorySegment segment() {
        lease.requireOpen();
        return segment;
    }

    /** Its size. */
    public long bytes() {
        return segment.byteSize();
    }

    /** Frees it. Copies that use it must have ended. */
    @Override
    public void close() {
        lease.close();
    }
}
