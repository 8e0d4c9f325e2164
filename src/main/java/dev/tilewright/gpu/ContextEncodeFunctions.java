package dev.tilewright.gpu;

import dev.tilewright.gpu.context.Context;
import java.lang.foreign.MemorySegment;

/** The driver's functions that encode tensor maps, in one context. */
record ContextEncodeFunctions(Context context) implements EncodeFunctions {

    @Override
    public int tiled(MemorySegment map, int dataType, int rank, long address, MemorySegment dims, MemorySegment strides,
            MemorySegment box, MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int fill) {
        return context.result(api -> api.cuTensorMapEncodeTiled(map, dataType, rank, address, dims, strides, box,
                elementStrides, interleave, swizzle, l2Promotion, fill));
    }

    @Override
    public int im2col(MemorySegment map, int dataType, int rank, long address, MemorySegment dims,
            MemorySegment strides, MemorySegment lower, MemorySegment upper, int channels, int pixels,
            MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int fill) {
        return context.result(api -> api.cuTensorMapEncodeIm2col(map, dataType, rank, address, dims, strides, lower,
                upper, channels, pixels, elementStrides, interleave, swizzle, l2Promotion, fill));
    }

    @Override
    public void makeCurrent() {
        // Each call does.
    }

    @Override
    public void check(String call, int result) {
        context.check(call, result);
    }
}
