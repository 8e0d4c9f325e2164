package dev.tilewright.gpu.cuda;

import java.lang.foreign.MemorySegment;

/**
 * Memory of devices and of the host, and copies. All but the queries need a current context. A part of {@link
 * DriverApi}.
 */
public interface MemoryApi {

    /** Bytes of device memory that are free, and all, each as 64 bits. */
    int cuMemGetInfo(MemorySegment free, MemorySegment total);

    /** Device memory, at a multiple of 256; 0 bytes are refused. */
    int cuMemAlloc(MemorySegment pointer, long bytes);

    /** Frees device memory, of either kind of allocation. */
    int cuMemFree(long pointer);

    /** Device memory that what follows on the stream may use. */
    int cuMemAllocAsync(MemorySegment pointer, long bytes, long stream);

    /** Frees device memory when the stream comes there. */
    int cuMemFreeAsync(long pointer, long stream);

    /** Sets a CUmemPool_attribute. */
    int cuMemPoolSetAttribute(long pool, int attribute, MemorySegment value);

    /** Gives back what a pool holds unused beyond this many bytes. */
    int cuMemPoolTrimTo(long pool, long bytes);

    /** Page-locked host memory. */
    int cuMemHostAlloc(MemorySegment pointer, long bytes, int flags);

    /** Frees page-locked host memory. */
    int cuMemFreeHost(long pointer);

    /** Page-locks host memory that is there already. */
    int cuMemHostRegister(long pointer, long bytes, int flags);

    /** Ends what {@link #cuMemHostRegister} began. */
    int cuMemHostUnregister(long pointer);

    /**
     * What the driver knows of an address: a CUpointer_attribute; 1 (invalid value) for host memory it knows
     * nothing of.
     */
    int cuPointerGetAttribute(MemorySegment data, int attribute, long pointer);

    /** Host to device. Asynchronous if the host memory is page-locked. */
    int cuMemcpyHtoDAsync(long to, long from, long bytes, long stream);

    /** Device to host. Asynchronous if the host memory is page-locked. */
    int cuMemcpyDtoHAsync(long to, long from, long bytes, long stream);

    /** Within one context's memory. */
    int cuMemcpyDtoDAsync(long to, long from, long bytes, long stream);

    /** From one context's memory to another's, through the host where the devices cannot reach each other. */
    int cuMemcpyPeerAsync(long to, long toContext, long from, long fromContext, long bytes, long stream);

    /** Sets every byte. */
    int cuMemsetD8Async(long to, byte value, long bytes, long stream);
}
