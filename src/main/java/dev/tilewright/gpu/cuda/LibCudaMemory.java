package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link MemoryApi} as {@code libcuda.so.1} has it. Each function is looked for when it is first called. */
interface LibCudaMemory extends MemoryApi {

    final class MemGetInfo {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemGetInfo_v2", "3.2", ADDRESS, ADDRESS);

        private MemGetInfo() { }
    }

    @Override
    default int cuMemGetInfo(MemorySegment free, MemorySegment total) {
        try {
            return (int) MemGetInfo.HANDLE.invokeExact(free, total);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemAlloc {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemAlloc_v2", "3.2", ADDRESS, JAVA_LONG);

        private MemAlloc() { }
    }

    @Override
    default int cuMemAlloc(MemorySegment pointer, long bytes) {
        try {
            return (int) MemAlloc.HANDLE.invokeExact(pointer, bytes);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemFree {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemFree_v2", "3.2", JAVA_LONG);

        private MemFree() { }
    }

    @Override
    default int cuMemFree(long pointer) {
        try {
            return (int) MemFree.HANDLE.invokeExact(pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemAllocAsync {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemAllocAsync", "11.2", ADDRESS, JAVA_LONG,
                JAVA_LONG);

        private MemAllocAsync() { }
    }

    @Override
    default int cuMemAllocAsync(MemorySegment pointer, long bytes, long stream) {
        try {
            return (int) MemAllocAsync.HANDLE.invokeExact(pointer, bytes, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemFreeAsync {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemFreeAsync", "11.2", JAVA_LONG, JAVA_LONG);

        private MemFreeAsync() { }
    }

    @Override
    default int cuMemFreeAsync(long pointer, long stream) {
        try {
            return (int) MemFreeAsync.HANDLE.invokeExact(pointer, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemPoolSetAttribute {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemPoolSetAttribute", "11.2", JAVA_LONG, JAVA_INT,
                ADDRESS);

        private MemPoolSetAttribute() { }
    }

    @Override
    default int cuMemPoolSetAttribute(long pool, int attribute, MemorySegment value) {
        try {
            return (int) MemPoolSetAttribute.HANDLE.invokeExact(pool, attribute, value);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemPoolTrimTo {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemPoolTrimTo", "11.2", JAVA_LONG, JAVA_LONG);

        private MemPoolTrimTo() { }
    }

    @Override
    default int cuMemPoolTrimTo(long pool, long bytes) {
        try {
            return (int) MemPoolTrimTo.HANDLE.invokeExact(pool, bytes);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemHostAlloc {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemHostAlloc", "2.2", ADDRESS, JAVA_LONG,
                JAVA_INT);

        private MemHostAlloc() { }
    }

    @Override
    default int cuMemHostAlloc(MemorySegment pointer, long bytes, int flags) {
        try {
            return (int) MemHostAlloc.HANDLE.invokeExact(pointer, bytes, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemFreeHost {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemFreeHost", "2.0", JAVA_LONG);

        private MemFreeHost() { }
    }

    @Override
    default int cuMemFreeHost(long pointer) {
        try {
            return (int) MemFreeHost.HANDLE.invokeExact(pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemHostRegister {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemHostRegister_v2", "6.5", JAVA_LONG, JAVA_LONG,
                JAVA_INT);

        private MemHostRegister() { }
    }

    @Override
    default int cuMemHostRegister(long pointer, long bytes, int flags) {
        try {
            return (int) MemHostRegister.HANDLE.invokeExact(pointer, bytes, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemHostUnregister {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemHostUnregister", "4.0", JAVA_LONG);

        private MemHostUnregister() { }
    }

    @Override
    default int cuMemHostUnregister(long pointer) {
        try {
            return (int) MemHostUnregister.HANDLE.invokeExact(pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class PointerGetAttribute {
        private static final MethodHandle HANDLE = LibCuda.find("cuPointerGetAttribute", "4.0", ADDRESS, JAVA_INT,
                JAVA_LONG);

        private PointerGetAttribute() { }
    }

    @Override
    default int cuPointerGetAttribute(MemorySegment data, int attribute, long pointer) {
        try {
            return (int) PointerGetAttribute.HANDLE.invokeExact(data, attribute, pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemcpyHtoDAsync {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemcpyHtoDAsync_v2", "3.2", JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG);

        private MemcpyHtoDAsync() { }
    }

    @Override
    default int cuMemcpyHtoDAsync(long to, long from, long bytes, long stream) {
        try {
            return (int) MemcpyHtoDAsync.HANDLE.invokeExact(to, from, bytes, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemcpyDtoHAsync {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemcpyDtoHAsync_v2", "3.2", JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG);

        private MemcpyDtoHAsync() { }
    }

    @Override
    default int cuMemcpyDtoHAsync(long to, long from, long bytes, long stream) {
        try {
            return (int) MemcpyDtoHAsync.HANDLE.invokeExact(to, from, bytes, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemcpyDtoDAsync {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemcpyDtoDAsync_v2", "3.2", JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG);

        private MemcpyDtoDAsync() { }
    }

    @Override
    default int cuMemcpyDtoDAsync(long to, long from, long bytes, long stream) {
        try {
            return (int) MemcpyDtoDAsync.HANDLE.invokeExact(to, from, bytes, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemcpyPeerAsync {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemcpyPeerAsync", "4.0", JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

        private MemcpyPeerAsync() { }
    }

    @Override
    default int cuMemcpyPeerAsync(long to, long toContext, long from, long fromContext, long bytes, long stream) {
        try {
            return (int) MemcpyPeerAsync.HANDLE.invokeExact(to, toContext, from, fromContext, bytes, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class MemsetD8Async {
        private static final MethodHandle HANDLE = LibCuda.find("cuMemsetD8Async", "3.2", JAVA_LONG, JAVA_BYTE,
                JAVA_LONG, JAVA_LONG);

        private MemsetD8Async() { }
    }

    @Override
    default int cuMemsetD8Async(long to, byte value, long bytes, long stream) {
        try {
            return (int) MemsetD8Async.HANDLE.invokeExact(to, value, bytes, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }
}
