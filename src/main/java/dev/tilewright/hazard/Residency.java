package dev.tilewright.hazard;

import dev.tilewright.program.TileProgram;

/**
 * How many blocks of a kernel a GPU holds at once. The next blocks start only when others have ended, so that blocks
 * which wait for each other must all be among these. Sources: CUDA Programming Guide, "Compute Capabilities: Technical
 * Specifications per Compute Capability", for 9.0; an H200 has 132 multiprocessors.
 *
 * <p>What registers take, and where in the GPU a cluster finds room, is not looked at: a GPU may hold fewer blocks than
 * this, never more.
 */
final class Residency {
    private static final int MULTIPROCESSORS = 132;
    private static final int MOST_BLOCKS = 32;
    private static final int MOST_THREADS = 2048;
    private static final int WARP = 32;
    private static final int SHARED_BYTES = 228 << 10;
    /** Shared memory that the system takes for each block. */
    private static final int SHARED_BYTES_OF_SYSTEM = 1 << 10;
    private static final int SHARED_GRANULE = 128;

    private Residency() {
    }

    /** Blocks of a kernel on an H200, in whole clusters, at least one cluster. */
    static int onH200(TileProgram program) {
        int threads = Math.ceilDiv(program.threads(), WARP) * WARP;
        int shared = Math.ceilDiv(program.shared().bytes(), SHARED_GRANULE) * SHARED_GRANULE + SHARED_BYTES_OF_SYSTEM;
        int ofEach = Math.max(1, Math.min(MOST_BLOCKS, Math.min(MOST_THREADS / threads, SHARED_BYTES / shared)));
        int cluster = program.clusterBlocks();
        return Math.max(1, MULTIPROCESSORS * ofEach / cluster) * cluster;
    }
}
