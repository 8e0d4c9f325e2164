package dev.tilewright.gpu;

import java.lang.foreign.MemorySegment;

/**
 * The driver's functions that {@link DriverTensorMapEncoder} calls, as {@link dev.tilewright.gpu.cuda.LibCuda} has
 * them, so that a test can stand in for the driver.
 */
interface EncodeFunctions {

    /** {@code cuTensorMapEncodeTiled}. @return a CUresult */
    int tiled(MemorySegment map, int dataType, int rank, long address, MemorySegment dims, MemorySegment strides,
            MemorySegment box, MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int fill);

    /** {@code cuTensorMapEncodeIm2col}. @return a CUresult */
    int im2col(MemorySegment map, int dataType, int rank, long address, MemorySegment dims, MemorySegment strides,
            MemorySegment lower, MemorySegment upper, int channels, int pixels, MemorySegment elementStrides,
            int interleave, int swizzle, int l2Promotion, int fill);

    /** Makes the context current: both functions need one. */
    void makeCurrent();

    /** Lets success pass and throws anything else. @param call what was called */
    void check(String call, int result);
}
