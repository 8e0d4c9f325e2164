package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import dev.tilewright.gpu.staging.HostMemory;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.gpu.trace.WatchedSpan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Gets memory of a GPU and of the host from the driver, and says what there is when there is not enough. */
final class Allocator {
    /** CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, cuda.h. */
    private static final int MEMORY_POOLS_SUPPORTED = 115;

    /** CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTREGISTER_PORTABLE: page-locked for every context of the process. */
    private static final int PORTABLE = 1;
    /** CU_MEMHOSTREGISTER_READ_ONLY. */
    private static final int READ_ONLY = 8;

    /** CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED. */
    private static final int HOST_MEMORY_ALREADY_REGISTERED = 712;

    private final Gpu gpu;
    private final Context context;

    Allocator(Gpu gpu) {
        this.gpu = gpu;
        this.context = gpu.cudaContext();
    }

    /** Memory at once, from cuMemAlloc. */
    <A> Buffer<A> now(ArrayType<A> type, long count) {
        long bytes = bytes(type, count);
        return context.taking(() -> takeNow(type, bytes));
    }

    private <A> Buffer<A> takeNow(ArrayType<A> type, long bytes) {
        long address;
        try (WatchedSpan _ = watched("device memory", bytes)) {
            address = allocate(bytes, "cuMemAlloc", (api, out) -> api.cuMemAlloc(out, allocated(bytes)));
        }
        Context in = context;
        return new Buffer<>(gpu, type, address, bytes, "the buffer of " + bytes + " bytes",
                () -> in.release("cuMemFree", api -> api.cuMemFree(address)));
    }

    /** Memory in the order of a stream, from its device's pool; at once where the device has no pools. */
    <A> Buffer<A> inStream(Stream stream, ArrayType<A> type, long count) {
        if (context.attribute(MEMORY_POOLS_SUPPORTED) == 0) {
            return now(type, count);
        }
        long bytes = bytes(type, count);
        return context.taking(() -> takeInStream(stream, type, bytes));
    }

    private <A> Buffer<A> takeInStream(Stream stream, ArrayType<A> type, long bytes) {
        StreamHandle cuStream = stream.cuStream();
        long handle = cuStream.raw();
        long address;
        try (WatchedSpan _ = watched("stream-ordered device memory", bytes)) {
            address = allocate(bytes, "cuMemAllocAsync",
                    (api, out) -> cuStream.using(on -> on.cuMemAllocAsync(out, allocated(bytes), handle)).on(api));
        }
        Context in = context;
        return new Buffer<>(gpu, type, address, bytes, "the buffer of " + bytes + " bytes from " + stream,
                // In a capture it would become a part of the graph. A stream that is closed by then has nothing left to
                // wait for.
                () -> stream.captureSlot().outside(() -> in.release("cuMemFreeAsync",
                        cuStream.using(api -> api.cuMemFreeAsync(address, handle), api -> api.cuMemFree(address)))));
    }

    PinnedMemory pinned(long bytes) {
        return pinned(bytes, null);
    }

    /** @param pool what keeps it; null if its owner closes it */
    PinnedMemory pinned(long bytes, PinnedPool pool) {
        if (bytes < 1) {
            throw new IllegalArgumentException("pinned memory has at least 1 byte, got " + bytes);
        }
        return context.taking(() -> takePinned(bytes, pool));
    }

    private PinnedMemory takePinned(long bytes, PinnedPool pool) {
        long address;
        try (WatchedSpan _ = watched("pinned host memory", bytes)) {
            address = allocatePinned(bytes);
        }
        return new PinnedMemory(gpu, address, bytes, pool);
    }

    private long allocatePinned(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int result = context.result(api -> api.cuMemHostAlloc(out, bytes, PORTABLE));
            requireHostMemory("cuMemHostAlloc", bytes, result);
            context.check("cuMemHostAlloc of " + bytes + " bytes of page-locked host memory", result);
            return out.get(JAVA_LONG, 0);
        }
    }

    /** The driver has one number for both, and it is not the GPU that is short of memory. */
    private void requireHostMemory(String function, long bytes, int result) {
        if (result == DriverApi.OUT_OF_MEMORY && !context.isLost()) {
            CudaError error = CudaError.of(context.api(), result);
            throw new CudaException(function, error, function + " of " + bytes + " bytes failed: " + error
                    + ", where it is the host" + HostMemory.words() + ", that cannot page-lock so much: close pinned"
                    + " and registered memory that is no longer needed, or take smaller pieces", Optional.empty());
        }
    }

    RegisteredMemory register(MemorySegment host) {
        if (!host.isNative() || host.byteSize() == 0) {
            throw new IllegalArgumentException("only off-heap memory of at least 1 byte can be page-locked, got "
                    + (host.isNative() ? "0 bytes" : "a Java array's"));
        }
        if (!host.scope().isAlive()) {
            throw new IllegalStateException("the host memory's arena, or what it came from, is closed");
        }
        return context.taking(() -> takeRegistered(host));
    }

    private RegisteredMemory takeRegistered(MemorySegment host) {
        int flags = host.isReadOnly() ? PORTABLE | READ_ONLY : PORTABLE;
        int result;
        try (WatchedSpan _ = watched("registered host memory", host.byteSize())) {
            result = context.result(api -> api.cuMemHostRegister(host.address(), host.byteSize(), flags));
        }
        requireHostMemory("cuMemHostRegister", host.byteSize(), result);
        if (result != DriverApi.SUCCESS) {
            String what = host.byteSize() + " bytes of " + (host.isReadOnly() ? "read-only " : "")
                    + (host.isMapped() ? "memory that a file is mapped to" : "host memory");
            throw context.failure("cuMemHostRegister of " + what + registrationAdvice(result, host), result);
        }
        return new RegisteredMemory(gpu, host);
    }

    private WatchedSpan watched(String kind, long bytes) {
        return Trace.allocations() ? Trace.allocate(kind, bytes, context.info().ordinal()) : WatchedSpan.NONE;
    }

    /** What the driver's own words leave open. */
    private static String registrationAdvice(int result, MemorySegment host) {
        return switch (result) {
            case HOST_MEMORY_ALREADY_REGISTERED -> " (some of it is registered already, or pinned)";
            case DriverApi.NOT_SUPPORTED, DriverApi.INVALID_VALUE -> host.isMapped() || host.isReadOnly()
                    ? " (this driver, or the file's file system, cannot page-lock it: copy it as it is, which stages "
                    + "it)" : "";
            default -> "";
        };
    }

    /** Refuses sizes that no buffer has. */
    static long bytes(ArrayType<?> type, long count) {
        if (count < 0 || count > Long.MAX_VALUE / 2 / type.elementBytes()) {
            throw new IllegalArgumentException("a buffer has at least 0 elements, and less than 2^62 bytes, got "
                    + count + " of type " + type);
        }
        return count * type.elementBytes();
    }

    /**
     * Whole 16-byte chunks, at least one: cuMemAlloc refuses 0 bytes. compute-sanitizer takes a cp.async with a source
     * size for a read of the whole chunk and would report the last one of an array (the hardware reads no further than
     * asked: the code that ptxas makes hands it the size in the address's low bits).
     */
    private static long allocated(long bytes) {
        return Math.max(16, Math.ceilDiv(bytes, 16L) * 16);
    }

    private long allocate(long bytes, String function, Context.Question question) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            int result = context.result(api -> question.on(api, out));
            if (result == DriverApi.OUT_OF_MEMORY && !context.isLost()) {
                throw new OutOfDeviceMemoryException(function, CudaError.of(context.api(), result), gpu.info(), bytes,
                        gpu.memory());
            }
            context.check(function + " of " + bytes + " bytes", result);
            return out.get(JAVA_LONG, 0);
        }
    }
}
