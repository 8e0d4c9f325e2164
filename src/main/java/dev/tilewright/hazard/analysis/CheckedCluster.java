package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.order.ClusterClocks;
import dev.tilewright.hazard.shadow.Shadow;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;

/** A cluster that is being checked, from the first event of one of its threads until all have ended. */
final class CheckedCluster {
    /**
     * A copy to several blocks.
     *
     * @param mask the blocks that it goes to, by their ranks
     * @param barrier where the mbarrier that counts it lies in each of them
     */
    record Multicast(int mask, int step, int barrier) {
        boolean reaches(int rank) {
            return (mask >>> rank & 1) != 0;
        }
    }

    final int index;
    final ClusterClocks clocks;
    final BarrierLog log = new BarrierLog();
    final Set<Multicast> multicasts = new LinkedHashSet<>();
    private final int first;
    private final int threadsOfBlock;
    private final CheckedBlock[] blocks;
    private final CheckedThread[] threads;

    /** @param shadow of the shared memory of a block, by its number in the grid */
    CheckedCluster(int index, int blocks, int threadsOfBlock, IntFunction<Shadow> shadow) {
        this.index = index;
        this.first = index * blocks;
        this.threadsOfBlock = threadsOfBlock;
        this.clocks = new ClusterClocks(index * blocks, blocks, threadsOfBlock);
        this.threads = new CheckedThread[blocks * threadsOfBlock];
        Arrays.setAll(threads, slot -> new CheckedThread(this, clocks.thread(slot)));
        this.blocks = new CheckedBlock[blocks];
        Arrays.setAll(this.blocks, rank -> new CheckedBlock(index * blocks + rank, shadow.apply(index * blocks + rank),
                threadsOfBlock, clocks));
    }

    /** Whether a block is one of it. */
    boolean has(int block) {
        return block >= first && block - first < blocks.length;
    }

    /** A block by its number in the grid. */
    CheckedBlock block(int block) {
        return blocks[rank(block)];
    }

    List<CheckedBlock> blocks() {
        return Arrays.asList(blocks);
    }

    /** The rank of one of its blocks. */
    int rank(int block) {
        return block - first;
    }

    CheckedThread thread(int block, int thread) {
        return threads[rank(block) * threadsOfBlock + thread];
    }

    List<CheckedThread> threads() {
        return Arrays.asList(threads);
    }

    /** Threads of a block meet, from the first to the last of these. */
    void meet(int block, int first, int last) {
        int slot = rank(block) * threadsOfBlock;
        clocks.meet(slot + first, slot + last);
        for (int i = first; i <= last; i++) {
            threads[slot + i].atSync = 0;
        }
    }

    boolean isCluster() {
        return blocks.length > 1;
    }

    boolean isOver() {
        for (CheckedBlock block : blocks) {
            if (block.live > 0) {
                return false;
            }
        }
        return true;
    }
}
