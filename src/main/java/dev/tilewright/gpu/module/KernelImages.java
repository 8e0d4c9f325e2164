package dev.tilewright.gpu.module;

import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.compile.KernelCacheStats;
import dev.tilewright.program.TileProgram;

/**
 * Makes of a kernel what a driver loads as a module, with what the compiler remarked. Safe for use by several threads
 * at once.
 */
public interface KernelImages {

    /** A tile program's. */
    Compilation of(TileProgram program);

    /** That of the application's own CUDA C++. */
    Compilation of(CudaFunction function);

    /** How the cache fares that they come from. */
    default KernelCacheStats cache() {
        return KernelCacheStats.NONE;
    }
}
