package dev.tilewright.gpu;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.context.PageLocked;
import java.lang.foreign.MemorySegment;

/**
 * Host memory of the application's own, such as a mapped file, that is page-locked for a while, so that copies between
 * it and GPUs are asynchronous and as fast as the bus. What it came from, such as an arena, must not be closed before
 * this.
 *
 * <p>Registering takes about as long as copying the memory once does (31 GB/s on an H200 machine), so it pays for
 * memory that is copied several times. Whether a file's mapping can be registered is up to the kernel and the file's
 * system: where it was tried, one that is mapped read-only can, one that is mapped for reading and writing cannot, and
 * copies stage it. Safe for use by several threads.
 */
public final class RegisteredMemory implements AutoCloseable {
    private final MemorySegment segment;
    private final PageLocked range;
    private final Lease lease;

    RegisteredMemory(Gpu gpu, MemorySegment segment) {
        Context context = gpu.cudaContext();
        this.segment = segment;
        long address = segment.address();
        PageLocked pages = PageLocked.add(context.api(), address, segment.byteSize());
        this.range = pages;
        this.lease = Lease.of(this, context, "the registration of " + segment.byteSize() + " bytes of host memory",
                () -> pages.giveBack(context, "cuMemHostUnregister", api -> api.cuMemHostUnregister(address)));
    }

    /**
     * The memory, which stays the application's.
     *
     * @throws IllegalStateException if this is closed
     */
    public MemorySegment segment() {
        lease.requireOpen();
        return segment;
    }

    /** The memory's size in bytes. */
    public long bytes() {
        return segment.byteSize();
    }

    /** Whether the memory is still registered. */
    public boolean isOpen() {
        return lease.isOpen();
    }

    /** {@code 4096 bytes of registered memory}. */
    @Override
    public String toString() {
        return bytes() + " bytes of registered memory" + (isOpen() ? "" : ", closed");
    }

    /**
     * Ends the registration, after everything that was started on GPUs which have copied from or to the memory.
     *
     * @throws IllegalStateException if this thread is capturing a stream; it stays registered then
     */
    @Override
    public void close() {
        if (lease.isOpen()) {
            range.requireCanEnd();
            lease.close();
        }
    }
}
