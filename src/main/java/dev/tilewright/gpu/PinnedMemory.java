package dev.tilewright.gpu;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.context.PageLocked;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;

/**
 * Page-locked host memory: copies between it and GPUs are asynchronous and as fast as the bus. Of any GPU of the
 * process. It takes memory from the whole machine, and milliseconds to get: allocate it once and keep it.
 *
 * <p>Safe for use by several threads. It is not forgotten as long as somebody refers to its segment, or a slice of
 * that.
 */
public final class PinnedMemory implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private final PageLocked range;
    private final Lease lease;
    /** What keeps it, also when it is unreachable; null for memory that its owner closes. */
    private final PinnedPool pool;

    PinnedMemory(Gpu gpu, long address, long bytes, PinnedPool pool) {
        this.pool = pool;
        Context context = gpu.cudaContext();
        // What is done when the arena is closed refers to this, so that segments keep it alive.
        this.segment = MemorySegment.ofAddress(address).reinterpret(bytes, arena,
                _ -> Reference.reachabilityFence(this));
        WeakReference<Arena> scope = new WeakReference<>(arena);
        PageLocked pages = PageLocked.add(context.api(), address, bytes);
        this.range = pages;
        String what = "the pinned memory of " + bytes + " bytes";
        Runnable release = () -> {
            close(scope.get());
            pages.giveBack(context, "cuMemFreeHost", api -> api.cuMemFreeHost(address));
        };
        this.lease = pool == null ? Lease.of(this, context, what, release) : Lease.ofContext(context, what, release);
    }

    /**
     * The memory, for all threads, at a multiple of 4096. Once this is closed, every access to it is an
     * {@link IllegalStateException}.
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

    PinnedPool pool() {
        return pool;
    }

    /** Whether it is open, that is, can still be used. */
    public boolean isOpen() {
        return lease.isOpen();
    }

    /**
     * Frees it, after everything that was started on GPUs which have copied from or to it.
     *
     * @throws IllegalStateException if another thread uses the segment in a call of native code right now, or
     *     this thread is capturing a stream; it stays open then
     */
    @Override
    public void close() {
        if (lease.isOpen()) {
            range.requireCanEnd();
            close(arena);
            lease.close();
        }
    }

    /** {@code 4096 bytes of pinned memory}. */
    @Override
    public String toString() {
        return bytes() + " bytes of pinned memory" + (isOpen() ? "" : ", closed");
    }

    private static void close(Arena scope) {
        if (scope == null) {
            return;
        }
        try {
            scope.close();
        } catch (IllegalStateException e) {
            if (scope.scope().isAlive()) {
                throw e;
            }
        }
    }
}
