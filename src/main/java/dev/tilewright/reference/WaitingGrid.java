package dev.tilewright.reference;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Runs a grid whose blocks see what others do: one cluster after the other on one CPU thread, each until it ends or until
 * all its threads wait, and only then, when nobody that was started can go on, the next one. So what the blocks do to each
 * other happens in the same order every time.
 */
final class WaitingGrid {
    private final CompiledProgram program;
    private final int clusters;
    private final int resident;
    private final ReferenceOptions options;
    private final ClusterRunner runner;
    private final List<ClusterState> started = new ArrayList<>();
    private final Deque<ClusterState> free = new ArrayDeque<>();
    private int next;

    WaitingGrid(CompiledProgram program, int blocks, ReferenceOptions options) {
        this.program = program;
        this.options = options;
        this.clusters = blocks / program.clusterBlocks();
        this.resident = Math.max(1, options.residentBlocks() / program.clusterBlocks());
        this.runner = new ClusterRunner(program);
    }

    ReferenceRun run() {
        while (next < clusters || !started.isEmpty()) {
            if (!advanceAll()) {
                if (next == clusters || started.size() == resident) {
                    throw new Deadlock(program, started, (clusters - next) * program.clusterBlocks()).describe();
                }
                start();
            }
        }
        return new ReferenceRun(clusters * program.clusterBlocks(), runner.threadSteps());
    }

    private void start() {
        ClusterState cluster = free.isEmpty()
                ? new ClusterState(program, options.poison(), program.traits().rereadsStores()) : free.pop();
        cluster.restart(next++);
        started.add(cluster);
    }

    /** @return whether any cluster did anything */
    private boolean advanceAll() {
        boolean moved = false;
        for (Iterator<ClusterState> all = started.iterator(); all.hasNext();) {
            ClusterState cluster = all.next();
            switch (runner.advance(cluster)) {
                case ENDED -> {
                    all.remove();
                    free.push(cluster);
                    moved = true;
                }
                case MOVED -> moved = true;
                case STUCK -> { }
            }
            if (cluster.live() > 0 && !Deadlock.mayBeHelped(cluster)) {
                throw new Deadlock(program, cluster).describe();
            }
        }
        return moved;
    }
}
