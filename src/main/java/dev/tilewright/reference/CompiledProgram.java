package dev.tilewright.reference;

import java.util.List;

/**
 * A tile program with its parameters bound, ready to run any number of blocks.
 *
 * @param clusterBlocks blocks of a cluster
 * @param slots longs that one thread needs
 * @param sharedBytes bytes of shared memory
 * @param barriers the mbarriers, in order of their numbers and addresses
 * @param traits what the whole program does that decides how it is run
 * @param ops operations; the last ends the thread
 * @param stepOf for each operation, the number of the step that it belongs to; 0 for the last
 */
record CompiledProgram(String name, int threads, int clusterBlocks, int slots, int sharedBytes, List<Barrier> barriers,
        Traits traits, Op[] ops, int[] stepOf) {

    /** The number of the step that an operation belongs to; 0 for the end of the kernel. */
    int step(int pc) {
        return stepOf[pc];
    }

    /** A barrier of the program's arrays. @param address where it lies in shared memory */
    record Barrier(String name, int address) {
    }

    /**
     * What the whole program does.
     *
     * @param blocksMeet whether blocks may see what others do while they run: they load values that others store, or update
     *     values that others update
     * @param rereadsStores whether it may read, or store to otherwise, while it runs, memory that bulk stores write. To write
     *     early is always allowed, so where it is not seen nothing wrong comes of it
     */
    record Traits(boolean blocksMeet, boolean rereadsStores) {
    }
}
