package dev.tilewright.gpu.cuda;

import java.lang.foreign.MemorySegment;

/** Devices, their primary contexts, and errors. A part of {@link DriverApi}. */
public interface DeviceApi {

    /** {@code cuInit}. Takes a third of a second the first time in a process. */
    int cuInit(int flags);

    /** 1000 times the major number of the newest CUDA that the driver knows plus 10 times the minor, as 32 bits. */
    int cuDriverGetVersion(MemorySegment version);

    /** The number of devices, as 32 bits. */
    int cuDeviceGetCount(MemorySegment count);

    /** The CUdevice, as 32 bits. */
    int cuDeviceGet(MemorySegment device, int ordinal);

    /** A C string of at most {@code bytes} bytes. */
    int cuDeviceGetName(MemorySegment name, int bytes, int device);

    /** The 16 bytes of the device's UUID; a MIG instance has its own. */
    int cuDeviceGetUuid(MemorySegment uuid, int device);

    /** {@code domain:bus:device.function} as a C string of at most {@code bytes} bytes. */
    int cuDeviceGetPCIBusId(MemorySegment name, int bytes, int device);

    /** The value of a CUdevice_attribute, as 32 bits. */
    int cuDeviceGetAttribute(MemorySegment value, int attribute, int device);

    /** Bytes of memory, as 64 bits. */
    int cuDeviceTotalMem(MemorySegment bytes, int device);

    /** Whether one device can reach another's memory: 0 or 1, as 32 bits. */
    int cuDeviceCanAccessPeer(MemorySegment can, int device, int peer);

    /** The CUmemoryPool that stream-ordered allocations come from. */
    int cuDeviceGetDefaultMemPool(MemorySegment pool, int device);

    /** The CUcontext that the whole process shares, made if need be; each retain asks for a release. */
    int cuDevicePrimaryCtxRetain(MemorySegment context, int device);

    /** Lets go of the primary context; the last release destroys it. */
    int cuDevicePrimaryCtxRelease(int device);

    /** The calling thread's CUcontext, or 0. */
    int cuCtxGetCurrent(MemorySegment context);

    /** Makes a context the calling thread's. */
    int cuCtxSetCurrent(long context);

    /** The CUdevice of the calling thread's context, as 32 bits. */
    int cuCtxGetDevice(MemorySegment device);

    /** Lets the current context reach another's memory; 704 if it already may. */
    int cuCtxEnablePeerAccess(long peerContext, int flags);

    /** Waits for everything in the current context. */
    int cuCtxSynchronize();

    /** A pointer to the driver's own C string. */
    int cuGetErrorName(int error, MemorySegment pointer);

    /** A pointer to the driver's own C string. */
    int cuGetErrorString(int error, MemorySegment pointer);
}
