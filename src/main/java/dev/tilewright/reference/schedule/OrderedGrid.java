package dev.tilewright.reference.schedule;

import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.op.AccessOps;
import dev.tilewright.reference.state.BlockLayout;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.ClusterState;
import dev.tilewright.reference.state.LaunchQueue;
import dev.tilewright.reference.state.ThreadState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Runs a grid whose blocks see what others do: one cluster after the other on one CPU thread, each until it ends or
 * until all its threads wait, and only then, when no thread that was started can go on, the next one. When all have
 * been started and none goes on, stores and copies land one by one, since some thread may wait for the value of what
 * they write. So what the blocks do to each other happens in the same order every time. A cluster whose threads only
 * wait for values is passed over while none of these is there: where all blocks of a large grid meet, most do.
 *
 * <p>It is fair: a cluster in which threads repeat loops does not keep the next one from being started, nor do clusters
 * that bring each other on for ever.
 */
public final class OrderedGrid {
    /** Rounds over all clusters after which the next is started, or something lands, although some still go on. */
    private static final int PATIENCE = 1 << 10;

    private final CompiledProgram program;
    private final int resident;
    private final BlockLayout layout;
    private final ClusterRunner runner;
    private final List<Started> started = new ArrayList<>();
    private final Deque<ClusterState> free = new ArrayDeque<>();
    private final LaunchQueue queue;
    /** Whether some cluster did no more than repeat loops when all had their turn. */
    private boolean repeats;

    /** A cluster under way. */
    private static final class Started {
        final ClusterState cluster;
        /** The threads that wait for values in memory, if no thread does more than wait; else null. */
        List<ThreadState> waiting;

        Started(ClusterState cluster) {
            this.cluster = cluster;
        }
    }

    /** @param residentBlocks how many blocks are under way at once, at least a cluster */
    public OrderedGrid(CompiledProgram program, int blocks, byte poison, int residentBlocks, RunBudget budget) {
        this.program = program;
        this.layout = program.layout(program.traits().rereadsStores(), poison);
        this.queue = new LaunchQueue(program.shape(), blocks / program.clusterBlocks());
        this.resident = Math.max(1, residentBlocks / program.clusterBlocks());
        this.runner = new ClusterRunner(program, budget, () -> started.stream().map(s -> s.cluster).toList());
    }

    /** Runs all blocks. @return operations performed, added up over all threads */
    public long run() {
        int rounds = 0;
        while (!queue.isEmpty() || !started.isEmpty()) {
            boolean moved = advanceAll();
            if (moved && ++rounds < PATIENCE) {
                continue;
            }
            rounds = 0;
            if (!queue.isEmpty() && started.size() < resident) {
                start();
            } else if (!landSomething() && !moved && !repeats) {
                throw new Deadlock(program, started.stream().map(s -> s.cluster).toList(),
                        queue.size() * program.clusterBlocks()).describe();
            }
        }
        return runner.threadSteps();
    }

    private void start() {
        ClusterState cluster = free.isEmpty() ? new ClusterState(layout, queue) : free.pop();
        cluster.restart(queue.take());
        started.add(new Started(cluster));
    }

    /**
     * Ends what a GPU would end by itself, now that no thread goes on without it: the oldest bulk store, or else the
     * oldest copy, of the first cluster that has one. @return false if none has
     */
    private boolean landSomething() {
        for (Started each : started) {
            if (ClusterRunner.writeOldest(each.cluster)) {
                return true;
            }
        }
        for (Started each : started) {
            if (runner.landOldest(each.cluster)) {
                return true;
            }
        }
        return false;
    }

    /** @return whether any cluster did anything */
    private boolean advanceAll() {
        boolean moved = false;
        repeats = false;
        for (Iterator<Started> all = started.iterator(); all.hasNext();) {
            Started each = all.next();
            if (!program.plain() && each.waiting != null && !anyPasses(each.waiting)) {
                continue;
            }
            ClusterState cluster = each.cluster;
            each.waiting = null;
            switch (runner.advance(cluster)) {
                case ENDED -> {
                    all.remove();
                    free.push(cluster);
                    moved = true;
                }
                case MOVED -> moved = true;
                case REPEATS -> {
                    boolean landed = runner.landForWaiters(cluster);
                    moved |= landed;
                    repeats |= !landed;
                    continue;
                }
                case STUCK -> { }
            }
            if (cluster.live() > 0 && !Deadlock.mayBeHelped(cluster)) {
                throw new Deadlock(program, cluster).describe();
            }
            each.waiting = waiting(cluster);
        }
        return moved;
    }

    /** The threads of a cluster that wait for values in memory; null where others can do something. */
    private static List<ThreadState> waiting(ClusterState cluster) {
        List<ThreadState> waiting = new ArrayList<>(1);
        for (BlockState block : cluster.blocks()) {
            for (ThreadState t : block.threads()) {
                if (t.status == ThreadState.Status.AT_VALUE) {
                    waiting.add(t);
                } else if (t.status.tries) {
                    return null;
                }
            }
        }
        return waiting.isEmpty() ? null : waiting;
    }

    private boolean anyPasses(List<ThreadState> waiting) {
        for (ThreadState t : waiting) {
            if (((AccessOps.Poll) program.ops()[t.pc].bare()).mayPass(t)) {
                return true;
            }
        }
        return false;
    }
}
