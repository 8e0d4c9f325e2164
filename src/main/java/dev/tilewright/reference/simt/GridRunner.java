package dev.tilewright.reference.simt;

import dev.tilewright.reference.box.RowCopies;
import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.schedule.ClusterRunner;
import dev.tilewright.reference.schedule.RunBudget;
import dev.tilewright.reference.state.ClusterState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Shares the clusters of a grid out to CPU threads, where no block sees what another does. Clusters are taken in order
 * and one once taken is finished, so when some fail, the lowest failing one has always run: the report does not depend
 * on timing.
 */
public final class GridRunner {
    private final CompiledProgram program;
    private final int clusters;
    private final byte poison;
    private final RunBudget budget;
    /** Null where threads go one by one. */
    private final LaneProgram lanes;
    private final AtomicInteger nextCluster = new AtomicInteger();
    private final AtomicLong threadSteps = new AtomicLong();
    private int failedCluster = Integer.MAX_VALUE;
    private Throwable failure;

    /** Threads of a block go together where they can. */
    public GridRunner(CompiledProgram program, int blocks, byte poison, RunBudget budget) {
        this(program, blocks, poison, budget, LaneProgram.of(program));
    }

    /** @param lanes the same program for threads that go together; null for one thread after the other */
    public GridRunner(CompiledProgram program, int blocks, byte poison, RunBudget budget, LaneProgram lanes) {
        this.program = program;
        this.clusters = blocks / program.clusterBlocks();
        this.poison = poison;
        this.budget = budget;
        this.lanes = lanes;
    }

    /** Runs all clusters on n threads, the calling one among them. */
    public long run(int workers) {
        List<Thread> others = new ArrayList<>();
        for (int i = 1; i < workers; i++) {
            others.add(Thread.ofPlatform().daemon().name("tilewright-reference-" + i).start(this::work));
        }
        work();
        joinAll(others);
        switch (failure) {
            case null -> { }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
        return threadSteps.get();
    }

    private void work() {
        RowCopies copies = new RowCopies(true);
        ClusterState cluster = new ClusterState(program.layout(program.traits().rereadsStores(), poison), null, copies);
        ClusterRunner runner = new ClusterRunner(program, budget, () -> List.of(cluster));
        LaneRunner together = lanes == null ? null : new LaneRunner(lanes, runner, budget);
        for (int number = take(); number < clusters; number = take()) {
            try {
                if (together == null) {
                    cluster.restart(number);
                    runner.run(cluster);
                } else {
                    together.run(cluster, number);
                }
            } catch (RuntimeException | Error e) {
                fail(number, e);
            }
        }
        copies.carryOut();
        threadSteps.addAndGet(runner.threadSteps() + (together == null ? 0 : together.threadSteps()));
    }

    private int take() {
        return nextCluster.getAndUpdate(n -> n < clusters ? n + 1 : n);
    }

    private synchronized void fail(int number, Throwable e) {
        nextCluster.set(clusters);
        if (number < failedCluster) {
            failedCluster = number;
            failure = e;
        }
    }

    private void joinAll(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    budget.interrupt();
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
