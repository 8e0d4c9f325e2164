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

    interface MemGetInfo {
        MethodHandle HANDLE = LibCuda.find("cuMemGetInfo_v2", "3.2", ADDRESS, ADDRESS);
    }

    @Override
    default int cuMemGetInfo(MemorySegment free, MemorySegment total) {
        try {
            return (int) MemGetInfo.HANDLE.invokeExact(free, total);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface MemAlloc {
        MethodHandle HANDLE = LibCuda.find("cuMemAlloc_v2", "3.2", ADDRESS, JAVA_LONG);
    }

    @Override
    default int cuMemAlloc(MemorySegment pointer, long bytes) {
        try {
            return (int) MemAlloc.HANDLE.invokeExact(pointer, bytes);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface MemFree {
        MethodHandle HANDLE = LibCuda.find("cuMemFree_v2", "3.2", JAVA_LONG);
    }

    @Override
    default int cuMemFree(long pointer) {
        return LibCuda.call(MemFree.HANDLE, pointer);
    }

    interface MemAllocAsync {
        MethodHandle HANDLE = LibCuda.find("cuMemAllocAsync", "11.2", ADDRESS, JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuMemAllocAsync(MemorySegment pointer, long bytes, long stream) {
        return LibCuda.call(MemAllocAsync.HANDLE, pointer, bytes, stream);
    }

    interface MemFreeAsync {
        MethodHandle HANDLE = LibCuda.find("cuMemFreeAsync", "11.2", JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuMemFreeAsync(long pointer, long stream) {
        return LibCuda.call(MemFreeAsync.HANDLE, pointer, stream);
    }

    interface MemPoolSetAttribute {
        MethodHandle HANDLE = LibCuda.find("cuMemPoolSetAttribute", "11.2", JAVA_LONG, JAVA_INT, ADDRESS);
    }

    @Override
    default int cuMemPoolSetAttribute(long pool, int attribute, MemorySegment value) {
        try {
            return (int) MemPoolSetAttribute.HANDLE.invokeExact(pool, attribute, value);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface MemPoolTrimTo {
        MethodHandle HANDLE = LibCuda.find("cuMemPoolTrimTo", "11.2", JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuMemPoolTrimTo(long pool, long bytes) {
        return LibCuda.call(MemPoolTrimTo.HANDLE, pool, bytes);
    }

    interface MemHostAlloc {
        MethodHandle HANDLE = LibCuda.find("cuMemHostAlloc", "2.2", ADDRESS, JAVA_LONG, JAVA_INT);
    }

    @Override
    default int cuMemHostAlloc(MemorySegment pointer, long bytes, int flags) {
        try {
            return (int) MemHostAlloc.HANDLE.invokeExact(pointer, bytes, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface MemFreeHost {
        MethodHandle HANDLE = LibCuda.find("cuMemFreeHost", "2.0", JAVA_LONG);
    }

    @Override
    default int cuMemFreeHost(long pointer) {
        return LibCuda.call(MemFreeHost.HANDLE, pointer);
    }

    interface MemHostRegister {
        MethodHandle HANDLE = LibCuda.find("cuMemHostRegister_v2", "6.5", JAVA_LONG, JAVA_LONG, JAVA_INT);
    }

    @Override
    default int cuMemHostRegister(long pointer, long bytes, int flags) {
        try {
            return (int) MemHostRegister.HANDLE.invokeExact(pointer, bytes, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface MemHostUnregister {
        MethodHandle HANDLE = LibCuda.find("cuMemHostUnregister", "4.0", JAVA_LONG);
    }

    @Override
    default int cuMemHostUnregister(long pointer) {
        return LibCuda.call(MemHostUnregister.HANDLE, pointer);
    }

    interface PointerGetAttribute {
        MethodHandle HANDLE = LibCuda.find("cuPointerGetAttribute", "4.0", ADDRESS, JAVA_INT, JAVA_LONG);
    }

    @Override
    default int cuPointerGetAttribute(MemorySegment data, int attribute, long pointer) {
        try {
            return (int) PointerGetAttribute.HANDLE.invokeExact(data, attribute, pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface MemcpyHtoDAsync {
        MethodHandle HANDLE = LibCuda.find("cuMemcpyHtoDAsync_v2", "3.2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuMemcpyHtoDAsync(long to, long from, long bytes, long stream) {
        return LibCuda.call(MemcpyHtoDAsync.HANDLE, to, from, bytes, stream);
    }

    interface MemcpyDtoHAsync {
        MethodHandle HANDLE = LibCuda.find("cuMemcpyDtoHAsync_v2", "3.2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuMemcpyDtoHAsync(long to, long from, long bytes, long stream) {
        return LibCuda.call(MemcpyDtoHAsync.HANDLE, to, from, bytes, stream);
    }

    interface MemcpyDtoDAsync {
        MethodHandle HANDLE = LibCuda.find("cuMemcpyDtoDAsync_v2", "3.2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuMemcpyDtoDAsync(long to, long from, long bytes, long stream) {
        return LibCuda.call(MemcpyDtoDAsync.HANDLE, to, from, bytes, stream);
    }

    interface MemcpyPeerAsync {
        MethodHandle HANDLE = LibCuda.find("cuMemcpyPeerAsync", "4.0", JAVA_LONG, JAVA_LONG,
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuMemcpyPeerAsync(long to, long toContext, long from, long fromContext, long bytes, long stream) {
        try {
            return (int) MemcpyPeerAsync.HANDLE.invokeExact(to, toContext, from, fromContext, bytes, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface MemsetD8Async {
        MethodHandle HANDLE = LibCuda.find("cuMemsetD8Async", "3.2", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);
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
