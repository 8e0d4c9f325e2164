package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link DeviceApi} as {@code libcuda.so.1} has it. Each function is looked for when it is first called. */
interface LibCudaDevice extends DeviceApi {

    final class Init {
        private static final MethodHandle HANDLE = LibCuda.find("cuInit", "2.0", JAVA_INT);

        private Init() { }
    }

    @Override
    default int cuInit(int flags) {
        try {
            return (int) Init.HANDLE.invokeExact(flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DriverGetVersion {
        private static final MethodHandle HANDLE = LibCuda.find("cuDriverGetVersion", "2.2", ADDRESS);

        private DriverGetVersion() { }
    }

    @Override
    default int cuDriverGetVersion(MemorySegment version) {
        try {
            return (int) DriverGetVersion.HANDLE.invokeExact(version);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceGetCount {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceGetCount", "2.0", ADDRESS);

        private DeviceGetCount() { }
    }

    @Override
    default int cuDeviceGetCount(MemorySegment count) {
        try {
            return (int) DeviceGetCount.HANDLE.invokeExact(count);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceGet {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceGet", "2.0", ADDRESS, JAVA_INT);

        private DeviceGet() { }
    }

    @Override
    default int cuDeviceGet(MemorySegment device, int ordinal) {
        try {
            return (int) DeviceGet.HANDLE.invokeExact(device, ordinal);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceGetName {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceGetName", "2.0", ADDRESS, JAVA_INT,
                JAVA_INT);

        private DeviceGetName() { }
    }

    @Override
    default int cuDeviceGetName(MemorySegment name, int bytes, int device) {
        try {
            return (int) DeviceGetName.HANDLE.invokeExact(name, bytes, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceGetUuid {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceGetUuid_v2", "11.4", ADDRESS, JAVA_INT);

        private DeviceGetUuid() { }
    }

    @Override
    default int cuDeviceGetUuid(MemorySegment uuid, int device) {
        try {
            return (int) DeviceGetUuid.HANDLE.invokeExact(uuid, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceGetPCIBusId {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceGetPCIBusId", "4.1", ADDRESS, JAVA_INT,
                JAVA_INT);

        private DeviceGetPCIBusId() { }
    }

    @Override
    default int cuDeviceGetPCIBusId(MemorySegment name, int bytes, int device) {
        try {
            return (int) DeviceGetPCIBusId.HANDLE.invokeExact(name, bytes, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceGetAttribute {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceGetAttribute", "2.0", ADDRESS, JAVA_INT,
                JAVA_INT);

        private DeviceGetAttribute() { }
    }

    @Override
    default int cuDeviceGetAttribute(MemorySegment value, int attribute, int device) {
        try {
            return (int) DeviceGetAttribute.HANDLE.invokeExact(value, attribute, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceTotalMem {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceTotalMem_v2", "3.2", ADDRESS, JAVA_INT);

        private DeviceTotalMem() { }
    }

    @Override
    default int cuDeviceTotalMem(MemorySegment bytes, int device) {
        try {
            return (int) DeviceTotalMem.HANDLE.invokeExact(bytes, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceCanAccessPeer {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceCanAccessPeer", "4.0", ADDRESS, JAVA_INT,
                JAVA_INT);

        private DeviceCanAccessPeer() { }
    }

    @Override
    default int cuDeviceCanAccessPeer(MemorySegment can, int device, int peer) {
        try {
            return (int) DeviceCanAccessPeer.HANDLE.invokeExact(can, device, peer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DeviceGetDefaultMemPool {
        private static final MethodHandle HANDLE = LibCuda.find("cuDeviceGetDefaultMemPool", "11.2", ADDRESS,
                JAVA_INT);

        private DeviceGetDefaultMemPool() { }
    }

    @Override
    default int cuDeviceGetDefaultMemPool(MemorySegment pool, int device) {
        try {
            return (int) DeviceGetDefaultMemPool.HANDLE.invokeExact(pool, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DevicePrimaryCtxRetain {
        private static final MethodHandle HANDLE = LibCuda.find("cuDevicePrimaryCtxRetain", "7.0", ADDRESS, JAVA_INT);

        private DevicePrimaryCtxRetain() { }
    }

    @Override
    default int cuDevicePrimaryCtxRetain(MemorySegment context, int device) {
        try {
            return (int) DevicePrimaryCtxRetain.HANDLE.invokeExact(context, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class DevicePrimaryCtxRelease {
        private static final MethodHandle HANDLE = LibCuda.find("cuDevicePrimaryCtxRelease_v2", "11.0", JAVA_INT);

        private DevicePrimaryCtxRelease() { }
    }

    @Override
    default int cuDevicePrimaryCtxRelease(int device) {
        try {
            return (int) DevicePrimaryCtxRelease.HANDLE.invokeExact(device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class CtxGetCurrent {
        private static final MethodHandle HANDLE = LibCuda.findQuick("cuCtxGetCurrent", "4.0", ADDRESS);

        private CtxGetCurrent() { }
    }

    @Override
    default int cuCtxGetCurrent(MemorySegment context) {
        try {
            return (int) CtxGetCurrent.HANDLE.invokeExact(context);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class CtxSetCurrent {
        private static final MethodHandle HANDLE = LibCuda.find("cuCtxSetCurrent", "4.0", JAVA_LONG);

        private CtxSetCurrent() { }
    }

    @Override
    default int cuCtxSetCurrent(long context) {
        try {
            return (int) CtxSetCurrent.HANDLE.invokeExact(context);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class CtxGetDevice {
        private static final MethodHandle HANDLE = LibCuda.find("cuCtxGetDevice", "2.0", ADDRESS);

        private CtxGetDevice() { }
    }

    @Override
    default int cuCtxGetDevice(MemorySegment device) {
        try {
            return (int) CtxGetDevice.HANDLE.invokeExact(device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class CtxEnablePeerAccess {
        private static final MethodHandle HANDLE = LibCuda.find("cuCtxEnablePeerAccess", "4.0", JAVA_LONG, JAVA_INT);

        private CtxEnablePeerAccess() { }
    }

    @Override
    default int cuCtxEnablePeerAccess(long peerContext, int flags) {
        try {
            return (int) CtxEnablePeerAccess.HANDLE.invokeExact(peerContext, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class CtxSynchronize {
        private static final MethodHandle HANDLE = LibCuda.find("cuCtxSynchronize", "2.0");

        private CtxSynchronize() { }
    }

    @Override
    default int cuCtxSynchronize() {
        try {
            return (int) CtxSynchronize.HANDLE.invokeExact();
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class GetErrorName {
        private static final MethodHandle HANDLE = LibCuda.find("cuGetErrorName", "6.0", JAVA_INT, ADDRESS);

        private GetErrorName() { }
    }

    @Override
    default int cuGetErrorName(int error, MemorySegment pointer) {
        try {
            return (int) GetErrorName.HANDLE.invokeExact(error, pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class GetErrorString {
        private static final MethodHandle HANDLE = LibCuda.find("cuGetErrorString", "6.0", JAVA_INT, ADDRESS);

        private GetErrorString() { }
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
