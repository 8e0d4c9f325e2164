package dev.tilewright.reference.state;

import java.util.List;

/**
 * What a block of a program holds while it runs.
 *
 * @param threads of a block
 * @param clusterBlocks blocks of a cluster
 * @param slots what the slots of a thread hold before its first step
 * @param sharedBytes bytes of shared memory
 * @param barriers the mbarriers of the program's arrays, in order of their addresses
 * @param splitStores whether reading the source of a bulk store and writing its destination are told apart
 * @param poison what every byte of shared memory holds when a block starts
 * @param election which lane {@code elect.sync} chooses
 * @param eager whether shared memory is filled and read at once, not when somebody would see the difference
 */
public record BlockLayout(int threads, int clusterBlocks, long[] slots, int sharedBytes, List<Barrier> barriers,
        boolean splitStores, byte poison, Election election, boolean eager) {

    /** A barrier of the program's arrays. @param address where it lies in shared memory */
    public record Barrier(String name, int address) { }
}
