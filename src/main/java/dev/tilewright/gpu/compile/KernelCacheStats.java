package dev.tilewright.gpu.compile;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.cache.KernelCache;
import java.nio.file.Path;

/**
 * Contents and hit counts of the cache of compiled kernels: see {@link dev.tilewright.gpu.Gpu#kernelCache}.
 *
 * @param folder where it is; an empty path where kernels are kept nowhere
 * @param entries kernels in it now
 * @param bytes their size
 * @param limit bytes that it may hold; what was not used for longest goes first
 * @param hits kernels that this process found in it
 * @param misses kernels that this process compiled
 * @param damaged entries that were not what this user had put there: compiled anew, and counted among the misses
 * @param allHits kernels that all processes found in it since it was emptied
 * @param allMisses kernels that all processes compiled since
 */
public record KernelCacheStats(Path folder, long entries, long bytes, long limit, long hits, long misses, long damaged,
        long allHits, long allMisses) {
    /** The counts of a GPU whose kernels are not compiled. */
    public static final KernelCacheStats NONE = new KernelCacheStats(Path.of(""), 0, 0, 0, 0, 0, 0, 0, 0);

    public KernelCacheStats {
        NotNull.all("folder", folder);
    }

    static KernelCacheStats of(KernelCache.Stats stats) {
        return new KernelCacheStats(stats.folder(), stats.entries(), stats.bytes(), stats.limit(), stats.hits(),
                stats.misses(), stats.damaged(), stats.allHits(), stats.allMisses());
    }
}
