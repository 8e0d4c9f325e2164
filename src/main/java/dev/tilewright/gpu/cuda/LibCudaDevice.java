package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link DeviceApi} as {@code libcuda.so.1} has it. Each function is looked for when it is first called. */
interface LibCudaDevice extends DeviceApi {

    interface Init {
        MethodHandle HANDLE = LibCuda.find("cuInit", "2.0", JAVA_INT);
    }

    @Override
    default int cuInit(int flags) {
        try {
            return (int) Init.HANDLE.invokeExact(flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface DriverGetVersion {
        MethodHandle HANDLE = LibCuda.find("cuDriverGetVersion", "2.2", ADDRESS);
    }

    @Override
    default int cuDriverGetVersion(MemorySegment version) {
        return LibCuda.call(DriverGetVersion.HANDLE, version);
    }

    interface DeviceGetCount {
        MethodHandle HANDLE = LibCuda.find("cuDeviceGetCount", "2.0", ADDRESS);
    }

    @Override
    default int cuDeviceGetCount(MemorySegment count) {
        return LibCuda.call(DeviceGetCount.HANDLE, count);
    }

    interface DeviceGet {
        MethodHandle HANDLE = LibCuda.find("cuDeviceGet", "2.0", ADDRESS, JAVA_INT);
    }

    @Override
    default int cuDeviceGet(MemorySegment device, int ordinal) {
        return LibCuda.call(DeviceGet.HANDLE, device, ordinal);
    }

    interface DeviceGetName {
        MethodHandle HANDLE = LibCuda.find("cuDeviceGetName", "2.0", ADDRESS, JAVA_INT, JAVA_INT);
    }

    @Override
    default int cuDeviceGetName(MemorySegment name, int bytes, int device) {
        return LibCuda.call(DeviceGetName.HANDLE, name, bytes, device);
    }

    interface DeviceGetUuid {
        MethodHandle HANDLE = LibCuda.find("cuDeviceGetUuid_v2", "11.4", ADDRESS, JAVA_INT);
    }

    @Override
    default int cuDeviceGetUuid(MemorySegment uuid, int device) {
        return LibCuda.call(DeviceGetUuid.HANDLE, uuid, device);
    }

    interface DeviceGetPCIBusId {
        MethodHandle HANDLE = LibCuda.find("cuDeviceGetPCIBusId", "4.1", ADDRESS, JAVA_INT, JAVA_INT);
    }

    @Override
    default int cuDeviceGetPCIBusId(MemorySegment name, int bytes, int device) {
        return LibCuda.call(DeviceGetPCIBusId.HANDLE, name, bytes, device);
    }

    interface DeviceGetAttribute {
        MethodHandle HANDLE = LibCuda.find("cuDeviceGetAttribute", "2.0", ADDRESS, JAVA_INT, JAVA_INT);
    }

    @Override
    default int cuDeviceGetAttribute(MemorySegment value, int attribute, int device) {
        return LibCuda.call(DeviceGetAttribute.HANDLE, value, attribute, device);
    }

    interface DeviceTotalMem {
        MethodHandle HANDLE = LibCuda.find("cuDeviceTotalMem_v2", "3.2", ADDRESS, JAVA_INT);
    }

    @Override
    default int cuDeviceTotalMem(MemorySegment bytes, int device) {
        return LibCuda.call(DeviceTotalMem.HANDLE, bytes, device);
    }

    interface DeviceCanAccessPeer {
        MethodHandle HANDLE = LibCuda.find("cuDeviceCanAccessPeer", "4.0", ADDRESS, JAVA_INT, JAVA_INT);
    }

    @Override
    default int cuDeviceCanAccessPeer(MemorySegment can, int device, int peer) {
        return LibCuda.call(DeviceCanAccessPeer.HANDLE, can, device, peer);
    }

    interface DeviceGetDefaultMemPool {
        MethodHandle HANDLE = LibCuda.find("cuDeviceGetDefaultMemPool", "11.2", ADDRESS, JAVA_INT);
    }

    @Override
    default int cuDeviceGetDefaultMemPool(MemorySegment pool, int device) {
        return LibCuda.call(DeviceGetDefaultMemPool.HANDLE, pool, device);
    }

    interface DevicePrimaryCtxRetain {
        MethodHandle HANDLE = LibCuda.find("cuDevicePrimaryCtxRetain", "7.0", ADDRESS, JAVA_INT);
    }

    @Override
    default int cuDevicePrimaryCtxRetain(MemorySegment context, int device) {
        return LibCuda.call(DevicePrimaryCtxRetain.HANDLE, context, device);
    }

    interface DevicePrimaryCtxRelease {
        MethodHandle HANDLE = LibCuda.find("cuDevicePrimaryCtxRelease_v2", "11.0", JAVA_INT);
    }

    @Override
    default int cuDevicePrimaryCtxRelease(int device) {
        try {
            return (int) DevicePrimaryCtxRelease.HANDLE.invokeExact(device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface CtxGetCurrent {
        MethodHandle HANDLE = LibCuda.findQuick("cuCtxGetCurrent", "4.0", ADDRESS);
    }

    @Override
    default int cuCtxGetCurrent(MemorySegment context) {
        return LibCuda.call(CtxGetCurrent.HANDLE, context);
    }

    interface CtxSetCurrent {
        MethodHandle HANDLE = LibCuda.find("cuCtxSetCurrent", "4.0", JAVA_LONG);
    }

    @Override
    default int cuCtxSetCurrent(long context) {
        return LibCuda.call(CtxSetCurrent.HANDLE, context);
    }

    interface CtxGetDevice {
        MethodHandle HANDLE = LibCuda.find("cuCtxGetDevice", "2.0", ADDRESS);
    }

    @Override
    default int cuCtxGetDevice(MemorySegment device) {
        return LibCuda.call(CtxGetDevice.HANDLE, device);
    }

    interface CtxEnablePeerAccess {
        MethodHandle HANDLE = LibCuda.find("cuCtxEnablePeerAccess", "4.0", JAVA_LONG, JAVA_INT);
    }

    @Override
    default int cuCtxEnablePeerAccess(long peerContext, int flags) {
        try {
            return (int) CtxEnablePeerAccess.HANDLE.invokeExact(peerContext, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface CtxSynchronize {
        MethodHandle HANDLE = LibCuda.find("cuCtxSynchronize", "2.0");
    }

    @Override
    default int cuCtxSynchronize() {
        try {
            return (int) CtxSynchronize.HANDLE.invokeExact();
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface GetErrorName {
        MethodHandle HANDLE = LibCuda.find("cuGetErrorName", "6.0", JAVA_INT, ADDRESS);
    }

    @Override
    default int cuGetErrorName(int error, MemorySegment pointer) {
        try {
            return (int) GetErrorName.HANDLE.invokeExact(error, pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface GetErrorString {
        MethodHandle HANDLE = LibCuda.find("cuGetErrorString", "6.0", JAVA_INT, ADDRESS);
    }

    @Override
    default int cuGetErrorString(int error, MemorySegment pointer) {
        try {
            return (int) GetErrorString.HANDLE.invokeExact(error, pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }
}
