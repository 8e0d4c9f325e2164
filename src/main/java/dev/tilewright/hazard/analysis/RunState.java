package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.flow.ThreadValues;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.Shadow;
import dev.tilewright.hazard.shadow.ShadowListener;
import dev.tilewright.program.TileProgram;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * What all parts of the analysis know of a run: the clusters that are running, how many events there were, and whether
 * it ended early.
 */
final class RunState {
    private final int threads;
    private final int clusterBlocks;
    private final boolean lineOfThreads;
    private final boolean lineOfBlocks;
    private final IntFunction<Shadow> sharedShadow;
    private final Map<Integer, CheckedCluster> running = new HashMap<>();
    /** The cluster that was asked for last. */
    private CheckedCluster latest;
    private long events;
    private long bytes;
    private boolean stopped;

    /**
     * @param gridIsLine whether the grid has one dimension
     * @param listener is told what is wrong with accesses to shared memory
     */
    RunState(TileProgram program, boolean gridIsLine, ShadowListener listener) {
        this.lineOfThreads = program.block().isLine();
        this.lineOfBlocks = gridIsLine && program.cluster().blocks().isLine();
        this.threads = program.threads();
        this.clusterBlocks = program.clusterBlocks();
        int sharedBytes = program.shared().bytes();
        this.sharedShadow = block -> Shadow.ofShared(block, block % clusterBlocks, sharedBytes, listener);
    }

    // ---- clusters and threads

    CheckedCluster cluster(int block) {
        if (latest == null || !latest.has(block)) {
            int index = block / clusterBlocks;
            latest = running.get(index);
            if (latest == null) {
                latest = new CheckedCluster(index, clusterBlocks, threads, sharedShadow);
                running.put(index, latest);
            }
        }
        return latest;
    }

    /** The thread that an event is about. */
    CheckedThread event(int block, int thread) {
        events++;
        return cluster(block).thread(block, thread);
    }

    /** The thread with a clock, of a running cluster. */
    CheckedThread thread(ThreadClock clock) {
        return cluster(clock.block()).thread(clock.block(), clock.thread());
    }

    /** What is known of a thread before it runs. */
    ThreadValues values(CheckedThread thread) {
        return new ThreadValues(thread.block(), thread.cluster.rank(thread.block()), clusterBlocks,
                thread.clock.thread(), lineOfThreads, lineOfBlocks);
    }

    /** Threads of a block. */
    int threads() {
        return threads;
    }

    /** The clusters that have not ended. */
    Iterable<CheckedCluster> running() {
        return running.values();
    }

    void forget(CheckedCluster cluster) {
        cluster.clocks.forget();
        running.remove(cluster.index);
        latest = null;
    }

    // ---- the run

    /** The number of the present event. */
    long event() {
        return events;
    }

    void touched(long count) {
        bytes += count;
    }

    /** Bytes touched so far. */
    long bytes() {
        return bytes;
    }

    /** The reference cannot go on, and a finding says why. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }
}
