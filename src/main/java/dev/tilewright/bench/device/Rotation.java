package dev.tilewright.bench.device;

import dev.tilewright.gpu.Gpu;

/**
 * Through how many sets of arrays turns rotate, so that what is measured finds next to nothing of its own in the L2.
 * Six times the L2 is not enough: what is copied with the advice that it gives way first leaves in the L2 what was
 * there before, and finds up to a sixth of such arrays when their turn comes again, which looked like 2 to 5 % of
 * speed.
 */
final class Rotation {
    /** All sets together are this many times the L2: at most a hundredth of them can be there. */
    private static final int TIMES_CACHE = 100;
    private static final int MOST_SETS = 1024;
    /** CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, cuda.h. */
    private static final int L2_BYTES = 38;

    private Rotation() { }

    /** How many sets exceed the cache and fit half of the free memory; one at least. @param bytes of one set */
    static int sets(Gpu gpu, long bytes) {
        long wanted = Math.ceilDiv(TIMES_CACHE * (long) gpu.attribute(L2_BYTES), bytes);
        return Math.clamp(wanted, 1, Math.clamp(gpu.memory().free() / 2 / bytes, 1, MOST_SETS));
    }
}
