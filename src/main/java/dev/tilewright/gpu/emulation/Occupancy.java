package dev.tilewright.gpu.emulation;

/**
 * How many blocks a multiprocessor holds, by threads, blocks and shared memory; registers are not looked at. The limits
 * are those of compute capability 9.0 (CUDA Programming Guide, "Technical Specifications per Compute Capability").
 */
final class Occupancy {
    static final int THREADS = 2048;
    static final int BLOCKS = 32;
    static final int SHARED = 228 << 10;
    /** What the driver takes of it for each block. */
    static final int RESERVED = 1 << 10;
    static final int THREADS_OF_A_BLOCK = 1024;
    private static final int WARP = 32;

    private Occupancy() { }

    /** Blocks of this size on one multiprocessor; 0 if not even one fits. */
    static int blocks(EmulatedFunction function, int threads, long sharedBytes) {
        if (threads < 1 || threads > THREADS_OF_A_BLOCK || !function.fits(sharedBytes)) {
            return 0;
        }
        int byThreads = THREADS / (Math.ceilDiv(threads, WARP) * WARP);
        long byShared = SHARED / (sharedBytes + RESERVED);
        return (int) Math.min(Math.min(byThreads, BLOCKS), byShared);
    }

    /** Blocks on the whole device. */
    static int resident(EmulatedFunction function, int threads, long sharedBytes) {
        return blocks(function, threads, sharedBytes) * function.model().multiprocessors();
    }
}
