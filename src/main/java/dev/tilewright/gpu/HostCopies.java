package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies between host memory of any kind and a device. Page-locked memory is handed to the driver; all else goes through
 * page-locked memory of our own, which is faster than the driver's way, and safe: where a mapped file has been cut short,
 * or its disk fails, a copy of the JVM's ends in an {@link InternalError}, while inside the driver the process would end.
 */
final class HostCopies {
    /** CU_POINTER_ATTRIBUTE_MEMORY_TYPE, and CU_MEMORYTYPE_HOST, cuda.h. */
    private static final int MEMORY_TYPE = 2;
    private static final int HOST = 1;
    private static final long PIECE = 8L << 20;

    private final Gpu gpu;
    private final Context context;
    private PinnedMemory staging;

    HostCopies(Gpu gpu) {
        this.gpu = gpu;
        this.context = gpu.cudaContext();
    }

    /** To the device: page-locked memory is read later, all else has been read on return. */
    void upload(MemorySegment host, long to, long stream) {
        if (isPageLocked(host)) {
            context.call("cuMemcpyHtoDAsync of " + host.byteSize() + " bytes",
                    api -> api.cuMemcpyHtoDAsync(to, host.address(), host.byteSize(), stream));
            return;
        }
        synchronized (this) {
            for (long at = 0; at < host.byteSize(); at += PIECE) {
                long from = at;
                MemorySegment piece = staging().asSlice(0, Math.min(PIECE, host.byteSize() - at));
                MemorySegment.copy(host, at, piece, 0, piece.byteSize());
                context.call("cuMemcpyHtoDAsync of " + piece.byteSize() + " bytes",
                        api -> api.cuMemcpyHtoDAsync(to + from, piece.address(), piece.byteSize(), stream));
                context.call("cuStreamSynchronize", api -> api.cuStreamSynchronize(stream));
            }
        }
    }

    /** From the device: page-locked memory is written later, all else has been written on return. */
    void download(long from, MemorySegment host, long stream) {
        if (isPageLocked(host)) {
            context.call("cuMemcpyDtoHAsync of " + host.byteSize() + " bytes",
                    api -> api.cuMemcpyDtoHAsync(host.address(), from, host.byteSize(), stream));
            return;
        }
        synchronized (this) {
            for (long at = 0; at < host.byteSize(); at += PIECE) {
                long source = from + at;
                MemorySegment piece = staging().asSlice(0, Math.min(PIECE, host.byteSize() - at));
                context.call("cuMemcpyDtoHAsync of " + piece.byteSize() + " bytes",
                        api -> api.cuMemcpyDtoHAsync(piece.address(), source, piece.byteSize(), stream));
                context.call("cuStreamSynchronize", api -> api.cuStreamSynchronize(stream));
                MemorySegment.copy(piece, 0, host, at, piece.byteSize());
            }
        }
    }

    private MemorySegment staging() {
        if (staging == null) {
            staging = gpu.pinned(PIECE);
        }
        return staging.segment();
    }

    boolean isPageLocked(MemorySegment host) {
        if (!host.isNative() || host.byteSize() == 0) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment type = arena.allocate(JAVA_LONG);
            return context.result(api -> api.cuPointerGetAttribute(type, MEMORY_TYPE, host.address()))
                    == DriverApi.SUCCESS && type.get(JAVA_INT, 0) == HOST
                    && context.result(api -> api.cuPointerGetAttribute(type, MEMORY_TYPE,
                            host.address() + host.byteSize() - 1)) == DriverApi.SUCCESS;
        }
    }
}
