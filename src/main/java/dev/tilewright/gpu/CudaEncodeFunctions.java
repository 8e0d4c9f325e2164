package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.LibCuda;
import java.lang.foreign.MemorySegment;

/** The functions of {@code libcuda.so.1}, in one driver's context. */
record CudaEncodeFunctions(CudaDriver driver) implements EncodeFunctions {

    @Override
    public int tiled(MemorySegment map, int dataType, int rank, long address, MemorySegment dims, MemorySegment strides,
            MemorySegment box, MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int fill) {
        return LibCuda.get().cuTensorMapEncodeTiled(map, dataType, rank, address, dims, strides, box, elementStrides,
                interleave, swizzle, l2Promotion, fill);
    }

    @Override
    public int im2col(MemorySegment map, int dataType, int rank, long address, MemorySegment dims,
            MemorySegment strides, MemorySegment lower, MemorySegment upper, int channels, int pixels,
            MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int fill) {
        return LibCuda.get().cuTensorMapEncodeIm2col(map, dataType, rank, address, dims, strides, lower, upper, channels,
                pixels, elementStrides, interleave, swizzle, l2Promotion, fill);
    }

    @Override
    public void makeCurrent() {
        driver.makeCurrent();
    }

    @Override
    public void check(String call, int result) {
        driver.check(call, result);
    }
}
