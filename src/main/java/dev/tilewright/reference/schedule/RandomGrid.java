package dev.tilewright.reference.schedule;

import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.state.BlockLayout;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.ClusterState;
import dev.tilewright.reference.state.Election;
import dev.tilewright.reference.state.InFlight;
import dev.tilewright.reference.state.LaunchQueue;
import dev.tilewright.reference.state.ThreadState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Runs a grid in an order that a seed chooses: which blocks are under way at once, which thread goes next and for how
 * many steps, and when what is in flight lands. Everything it does a GPU might do; the same seed does the same. It is
 * fair: clusters whose threads repeat loops do not keep others from being started.
 */
public final class RandomGrid {
    private static final int MOST_AT_ONCE = 6;
    /** Loops that threads repeat before another cluster is started, for each thread under way: they may wait for it. */
    private static final int PATIENCE = 16;

    private final CompiledProgram program;
    private final int threadsOfCluster;
    private final int resident;
    private final int usual;
    /** How many times it goes on with what is under way, on average, before it starts another cluster. */
    private final int hesitation;
    private final BlockLayout layout;
    private final ClusterRunner runner;
    private final SplittableRandom random;
    private final List<ClusterState> started = new ArrayList<>();
    private final Deque<ClusterState> free = new ArrayDeque<>();
    private final LaunchQueue queue;
    /** Turns that were no more than repeated loops, since a cluster was started or ended. */
    private long repeats;

    /** @param residentBlocks how many blocks are under way at once, at least a cluster */
    public RandomGrid(CompiledProgram program, int blocks, byte poison, int residentBlocks, long seed,
            RunBudget budget) {
        this.program = program;
        this.threadsOfCluster = program.clusterBlocks() * program.threads();
        this.layout = program.layout(true, poison, Election.of(seed));
        this.queue = new LaunchQueue(program.shape(), blocks / program.clusterBlocks());
        this.resident = Math.max(1, residentBlocks / program.clusterBlocks());
        this.runner = new ClusterRunner(program, budget, () -> started);
        this.random = new SplittableRandom(seed);
        this.hesitation = (seed & 1) == 0 ? 32 : 2;
        this.usual = Math.min(resident, 1 + random.nextInt(MOST_AT_ONCE));
    }

    /** Runs all blocks. @return operations performed, added up over all threads */
    public long run() {
        int idle = 0;
        int turns = 0;
        while (!queue.isEmpty() || !started.isEmpty()) {
            if ((++turns & 0xFFF) == 0) {
                runner.askBudget();
            }
            while (!queue.isEmpty() && started.size() < usual
                    && (started.isEmpty() || random.nextInt(hesitation) == 0)) {
                start();
            }
            if (repeats > (long) PATIENCE * threadsUnderWay() && hasRoom()) {
                start();
            }
            int chosen = random.nextInt(started.size());
            ClusterState cluster = started.get(chosen);
            boolean moved = random.nextInt(4) == 0 ? landSomething(cluster) : takeSomeTurn(cluster);
            if (cluster.live() == 0) {
                end(chosen);
                continue;
            }
            idle = moved ? 0 : idle + 1;
            if (idle > 4 * threadsUnderWay()) {
                idle = 0;
                unblock();
            }
        }
        return runner.threadSteps();
    }

    private int threadsUnderWay() {
        return started.size() * threadsOfCluster;
    }

    private boolean hasRoom() {
        return !queue.isEmpty() && started.size() < resident;
    }

    private void start() {
        repeats = 0;
        ClusterState cluster = free.isEmpty() ? new ClusterState(layout, queue) : free.pop();
        cluster.restart(queue.take());
        started.add(cluster);
    }

    private void end(int chosen) {
        repeats = 0;
        ClusterState cluster = started.remove(chosen);
        runner.requireNothingInFlight(cluster);
        free.push(cluster);
    }

    private boolean takeSomeTurn(ClusterState cluster) {
        ThreadState t = someThread(cluster);
        t.givesUp = t.status == ThreadState.Status.POLLING && random.nextInt(4) == 0;
        if (!t.status.tries) {
            return false;
        }
        long again = t.again;
        boolean moved = runner.takeTurn(t, random.nextBoolean() ? 1 + random.nextInt(4) : 1 + random.nextInt(200));
        repeats += t.again > again ? 1 : 0;
        return moved;
    }

    private boolean landSomething(ClusterState cluster) {
        ThreadState t = someThread(cluster);
        return switch (random.nextInt(3)) {
            case 0 -> landPending(cluster);
            case 1 -> t.copies.landOne();
            default -> t.stores.advanceOne(random);
        };
    }

    private boolean landPending(ClusterState cluster) {
        InFlight inFlight = cluster.inFlight();
        if (inFlight.size() == 0) {
            return false;
        }
        runner.land(inFlight.take(random.nextInt(inFlight.size())));
        return true;
    }

    private ThreadState someThread(ClusterState cluster) {
        BlockState block = cluster.block(random.nextInt(cluster.blocks().length));
        return block.threads()[random.nextInt(block.threads().length)];
    }

    /** Brings somebody on, by chance no more: a thread, something in flight, or a cluster that has not been started. */
    private void unblock() {
        for (ClusterState cluster : started) {
            for (BlockState block : cluster.blocks()) {
                for (ThreadState t : block.threads()) {
                    t.givesUp = t.status == ThreadState.Status.POLLING;
                    if (t.status.tries && runner.takeTurn(t, 1)) {
                        return;
                    }
                }
            }
        }
        for (ClusterState cluster : started) {
            if (landPending(cluster) || storesMove(cluster)) {
                return;
            }
        }
        if (!hasRoom()) {
            throw new Deadlock(program, started, queue.size() * program.clusterBlocks()).describe();
        }
        start();
    }

    private boolean storesMove(ClusterState cluster) {
        for (BlockState block : cluster.blocks()) {
            for (ThreadState t : block.threads()) {
                if (t.stores.advanceOne(random)) {
                    return true;
                }
            }
        }
        return false;
    }
}
