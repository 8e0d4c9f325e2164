package dev.tilewright.reference.state;

import dev.tilewright.reference.box.RowCopies;

/** Everything that the blocks of one cluster hold while they run; used for one cluster after the other. */
public final class ClusterState {
    private final BlockState[] blocks;
    private final InFlight inFlight = new InFlight();
    private final ClusterBarrier barrier = new ClusterBarrier(this);
    private final LaunchQueue queue;
    private final RowCopies copies;
    private int live;
    private long pass;

    /** @param queue the clusters that it could cancel; null where the program cancels none */
    public ClusterState(BlockLayout layout, LaunchQueue queue) {
        this(layout, queue, new RowCopies(false));
    }

    /** @param copies of bulk stores */
    public ClusterState(BlockLayout layout, LaunchQueue queue, RowCopies copies) {
        this.queue = queue;
        this.copies = copies;
        blocks = new BlockState[layout.clusterBlocks()];
        for (int rank = 0; rank < blocks.length; rank++) {
            blocks[rank] = new BlockState(layout, this, rank);
        }
    }

    /** Makes everything new for another cluster; the last one ended well. */
    public void restart(int cluster) {
        restartWithoutThreads(cluster);
        for (BlockState block : blocks) {
            for (ThreadState thread : block.threads()) {
                thread.restart();
            }
        }
    }

    /** Makes everything new for another cluster but the threads, each of which is made new when it is first needed. */
    public void restartWithoutThreads(int cluster) {
        live = 0;
        for (BlockState block : blocks) {
            block.restart(cluster * blocks.length + block.rank());
            live += block.threads().length;
        }
        barrier.restart();
    }

    public BlockState[] blocks() {
        return blocks;
    }

    public BlockState block(int rank) {
        return blocks[rank];
    }

    public InFlight inFlight() {
        return inFlight;
    }

    RowCopies copies() {
        return copies;
    }

    /** The clusters that have not been started. */
    public LaunchQueue queue() {
        return queue;
    }

    /** The barrier of the whole cluster. */
    public ClusterBarrier barrier() {
        return barrier;
    }

    /** Threads that have not exited. */
    public int live() {
        return live;
    }

    /** The number of the scheduler's present round over all threads, counted on from cluster to cluster. */
    public long pass() {
        return pass;
    }

    public void nextPass() {
        pass++;
    }

    void exitTogether(int count) {
        live -= count;
    }

    void exit(ThreadState thread) {
        live--;
        barrier.exit(thread);
    }
}
