package dev.tilewright.gpu;

import java.lang.foreign.MemorySegment;

/**
 * Host memory of the application's own, such as a mapped file, that is page-locked for a while, so that copies between
 * it and GPUs are asynchronous and as fast as the bus.
 */
public final class RegisteredMemory implements AutoCloseable {
    private final MemorySegment segment;
    private final Lease lease;

    RegisteredMemory(Gpu gpu, MemorySegment segment) {
        Context context = gpu.cudaContext();
        this.segment = segment;
        long address = segment.address();
        this.lease = Lease.of(this, context, "the registration of " + segment.byteSize() + " bytes of host memory",
                () -> context.release("cuMemHostUnregister", api -> api.cuMemHostUnregister(address)));
    }

    /** The memory, which stays the application's. */
    public MemorySegment segment() {
        lease.requireOpen();
        return segment;
    }

    /** Ends the registration. Copies that use the memory must have ended. */
    @Override
    public void close() {
        lease.close();
    }
}
