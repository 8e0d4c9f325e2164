package dev.tilewright.gpu.cuda;

import java.lang.foreign.MemorySegment;

/**
 * Modules, functions, their limits and launches, and tensor maps. All need a current context. A part of {@link
 * DriverApi}.
 */
public interface ModuleApi {

    /** Loads a cubin: a CUmodule. */
    int cuModuleLoadData(MemorySegment module, MemorySegment image);

    /** Unloads a module. */
    int cuModuleUnload(long module);

    /** The CUfunction of a name, a C string. */
    int cuModuleGetFunction(MemorySegment function, long module, MemorySegment name);

    /**
     * Where a function's parameter lies among all, and its size, in bytes, 64 bits each. {@link
     * DriverApi#INVALID_VALUE} behind the last one, {@link DriverApi#NOT_SUPPORTED} where the driver cannot tell.
     */
    default int cuFuncGetParamInfo(long function, long index, MemorySegment offset, MemorySegment size) {
        return DriverApi.NOT_SUPPORTED;
    }

    /** A CUfunction_attribute, as 32 bits. */
    int cuFuncGetAttribute(MemorySegment value, int attribute, long function);

    /** Sets a CUfunction_attribute. */
    int cuFuncSetAttribute(long function, int attribute, int value);

    /** Blocks of a function that one multiprocessor holds, as 32 bits. */
    int cuOccupancyMaxActiveBlocksPerMultiprocessor(MemorySegment blocks, long function, int threads,
            long sharedBytes);

    /** Clusters of a CUlaunchConfig that the whole device holds, as 32 bits. */
    int cuOccupancyMaxActiveClusters(MemorySegment clusters, long function, MemorySegment config);

    /**
     * Starts a kernel. {@code config}: a CUlaunchConfig, see {@link LaunchConfig}; {@code parameters}: pointers to
     * the arguments, or NULL for none; {@code extra}: 0.
     */
    int cuLaunchKernelEx(MemorySegment config, long function, MemorySegment parameters, long extra);

    /**
     * Writes 128 bytes at an address that is a multiple of 64. Enums are the integers of cuda.h; {@code dims} are
     * 64-bit element counts, innermost first; {@code strides} 64-bit bytes, from the second dimension on; {@code
     * box} and {@code elementStrides} 32-bit. Without a context: 201; in a lost one the error that lost it.
     */
    int cuTensorMapEncodeTiled(MemorySegment map, int dataType, int rank, long globalAddress, MemorySegment dims,
            MemorySegment strides, MemorySegment box, MemorySegment elementStrides, int interleave, int swizzle,
            int l2Promotion, int oobFill);

    /**
     * As {@link #cuTensorMapEncodeTiled} with an im2col box: {@code lower} and {@code upper} are signed 32-bit
     * corners, {@code rank - 2} of each; channels per pixel and pixels per column.
     */
    int cuTensorMapEncodeIm2col(MemorySegment map, int dataType, int rank, long globalAddress, MemorySegment dims,
            MemorySegment strides, MemorySegment lower, MemorySegment upper, int channels, int pixels,
            MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int oobFill);
}
