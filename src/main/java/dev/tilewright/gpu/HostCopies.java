package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.concurrent.Waiting;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.PageLocked;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.staging.CopyThreads;
import dev.tilewright.gpu.staging.MemoryFaults;
import dev.tilewright.gpu.staging.Scratch;
import dev.tilewright.gpu.staging.StagingSettings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Copies between host memory of any kind and a device, each in the way that is fastest for it:
 *
 * <ul>
 * <li>Page-locked memory is handed to the driver, and the call returns at once.
 * <li>A few MiB of other native memory are handed to the driver too: an upload has been read when the call returns, a
 *     download has ended. A little of a Java array or of a mapped file goes the same way through scratch memory.
 * <li>More goes through page-locked memory of the runtime's own ({@link StagedCopy}) when the stream has come there,
 *     and has arrived when the call returns. The driver waits for the stream too, but copies with one thread.
 * </ul>
 *
 * <p>The driver never touches a mapped file unless it is registered: where that has been cut short, or its disk fails,
 * a copy of the JVM's ends in an {@link InternalError}, while inside the driver the process would end. Native memory of
 * which Java does not say that a file is behind it is looked at before the driver gets it.
 */
final class HostCopies {
    /** CU_POINTER_ATTRIBUTE_MEMORY_TYPE, and CU_MEMORYTYPE_HOST, cuda.h. */
    private static final int MEMORY_TYPE = 2;
    private static final int HOST = 1;
    /** CU_POINTER_ATTRIBUTE_RANGE_START_ADDR and CU_POINTER_ATTRIBUTE_RANGE_SIZE. */
    private static final int RANGE_START = 11;
    private static final int RANGE_SIZE = 12;

    private final Context context;
    private final StagingSettings settings;
    private final Staging staging;
    private final Scratch scratch;

    HostCopies(Gpu gpu) {
        this.context = gpu.cudaContext();
        this.settings = StagingSettings.configured();
        this.staging = new Staging(context, settings);
        this.scratch = new Scratch(settings.scratch());
    }

    /**
     * To the device: page-locked memory is read later, all else has been read on return.
     *
     * @return whether the bytes have arrived on return
     */
    boolean upload(MemorySegment host, Buffer<?> to, Stream stream) {
        requireUsable(host);
        long bytes = host.byteSize();
        to.requireOpen();
        if (bytes == 0) {
            return true;
        }
        PageLocked range = PageLocked.find(context.api(), host.address(), bytes);
        if (range != null || isForDriver(host, settings.directUp())) {
            enqueueUpload(to, host.address(), bytes, stream, range);
            Reference.reachabilityFence(host);
            return false;
        }
        if (bytes > settings.scratch()) {
            staged(true, host, to, stream);
            return true;
        }
        MemorySegment own = scratch.take();
        MemorySegment.copy(host, 0, own, 0, bytes);
        MemoryFaults.surface();
        enqueueUpload(to, own.address(), bytes, stream, null);
        scratch.give(own);
        return false;
    }

    /**
     * From the device: page-locked memory is written later, all else has been written on return.
     *
     * @return whether the bytes have arrived on return
     */
    boolean download(Buffer<?> from, MemorySegment host, Stream stream) {
        requireUsable(host);
        if (host.isReadOnly()) {
            throw new IllegalArgumentException("a download needs host memory that can be written, and this is "
                    + "read-only");
        }
        long bytes = host.byteSize();
        from.requireOpen();
        if (bytes == 0) {
            return true;
        }
        PageLocked range = PageLocked.find(context.api(), host.address(), bytes);
        if (range != null || isForDriver(host, settings.directDown())) {
            enqueueDownload(from, host.address(), bytes, stream, range);
            Reference.reachabilityFence(host);
            return false;
        }
        if (bytes > settings.scratch()) {
            staged(false, host, from, stream);
            return true;
        }
        if (Waiting.isForThisThread()) {
            stream.awaitAll();
        }
        MemorySegment own = scratch.take();
        enqueueDownload(from, own.address(), bytes, stream, null);
        MemorySegment.copy(own, 0, host, 0, bytes);
        MemoryFaults.surface();
        scratch.give(own);
        return true;
    }

    /**
     * Whether the driver may have the address of memory that was not page-locked here, and is fast with it: it is
     * page-locked, or there is little of it and no file behind it. Whether little memory is page-locked need not be
     * asked: the driver finds out by itself.
     */
    private boolean isForDriver(MemorySegment host, long little) {
        if (!host.isNative()) {
            return false;
        }
        // In pageable memory a virtual thread would wait in the driver, and hold its carrier.
        if (host.byteSize() > little || host.isMapped() || Waiting.isForThisThread()) {
            return isPageLockedElsewhere(host);
        }
        MemoryFaults.probe(host);
        return true;
    }

    /** @param range the page-locked memory that the host's is in; null if it is in none */
    private void enqueueUpload(Buffer<?> to, long host, long bytes, Stream stream, PageLocked range) {
        StreamHandle cuStream = stream.cuStream();
        Context.Call copy = cuStream.using(api -> api.cuMemcpyHtoDAsync(to.address(), host, bytes, cuStream.raw()), to);
        cuStream.call("cuMemcpyHtoDAsync of " + bytes + " bytes", range == null ? copy : range.using(context, copy));
    }

    /** @param range the page-locked memory that the host's is in; null if it is in none */
    private void enqueueDownload(Buffer<?> from, long host, long bytes, Stream stream, PageLocked range) {
        StreamHandle cuStream = stream.cuStream();
        Context.Call copy = cuStream.using(
                api -> api.cuMemcpyDtoHAsync(host, from.address(), bytes, cuStream.raw()), from);
        cuStream.call("cuMemcpyDtoHAsync of " + bytes + " bytes", range == null ? copy : range.using(context, copy));
    }

    private void staged(boolean up, MemorySegment host, Buffer<?> buffer, Stream stream) {
        stream.awaitAll();
        new StagedCopy(context, staging, up, forAllThreads(host), buffer, settings).run();
        Reference.reachabilityFence(host);
    }

    /**
     * Memory that only the calling thread may use is open for as long as that waits here, so others can use it, too.
     */
    private static MemorySegment forAllThreads(MemorySegment host) {
        boolean confined = host.isNative() && !host.isAccessibleBy(CopyThreads.ANY);
        return confined ? MemorySegment.ofAddress(host.address()).reinterpret(host.byteSize()) : host;
    }

    private static void requireUsable(MemorySegment host) {
        if (!host.scope().isAlive()) {
            throw new IllegalStateException("the host memory's arena, or what it came from, is closed");
        }
        if (!host.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the host memory is confined to another thread than "
                    + Thread.currentThread().getName());
        }
    }

    /** Bytes of page-locked memory that pageable memory is copied through now. */
    long stagingBytes() {
        return staging.bytes();
    }

    /**
     * Whether copies of this memory need no staging: {@link PinnedMemory}, {@link RegisteredMemory}, or other code's.
     */
    boolean isPageLocked(MemorySegment host) {
        if (!host.isNative() || host.byteSize() == 0) {
            return false;
        }
        return PageLocked.find(context.api(), host.address(), host.byteSize()) != null || isPageLockedElsewhere(host);
    }

    /** Asks the driver, in which other code may have page-locked the memory. */
    private boolean isPageLockedElsewhere(MemorySegment host) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(JAVA_LONG);
            return attribute(MEMORY_TYPE, host.address(), answer) && answer.get(JAVA_INT, 0) == HOST
                    && attribute(RANGE_START, host.address(), answer)
                    && holds(answer.get(JAVA_LONG, 0), host, answer);
        }
    }

    private boolean holds(long start, MemorySegment host, MemorySegment answer) {
        return attribute(RANGE_SIZE, host.address(), answer)
                && host.address() - start + host.byteSize() <= answer.get(JAVA_LONG, 0);
    }

    /** An address that the driver does not know has none. */
    private boolean attribute(int attribute, long address, MemorySegment answer) {
        return context.result(api -> api.cuPointerGetAttribute(answer, attribute, address)) == DriverApi.SUCCESS;
    }
}
