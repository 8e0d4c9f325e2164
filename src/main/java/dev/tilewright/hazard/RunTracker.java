package dev.tilewright.hazard;

import dev.tilewright.hazard.ClusterShadow.Block;
import dev.tilewright.reference.ExecutionObserver;
import java.util.HashMap;
import java.util.Map;

/** What is being checked: the clusters that run, their threads and their shared memory. */
abstract class RunTracker implements ExecutionObserver {
    final Findings findings;
    final RaceClassifier verdict;
    private final Map<Integer, ClusterShadow> running = new HashMap<>();
    /** The cluster that was told of last. */
    private ClusterShadow latest;
    private Shape shape;
    final ReleaseAcquireTracker flags = new ReleaseAcquireTracker();
    GlobalShadow global;
    /** The time, by the order of all that is told. */
    long tick;
    /** Bytes touched so far. */
    long bytes;
    /** Whether the reference cannot go on. */
    boolean faulted;

    RunTracker(Findings findings) {
        this.findings = findings;
        this.verdict = new RaceClassifier(findings);
    }

    @Override
    public void starts(Shape of) {
        shape = of;
        global = new GlobalShadow(of.pieces(), verdict);
    }

    final ClusterShadow cluster(int block) {
        int index = block / shape.clusterBlocks();
        if (latest != null && latest.index == index) {
            return latest;
        }
        ClusterShadow c = running.get(index);
        if (c == null) {
            c = new ClusterShadow(index, shape.clusterBlocks(), shape.threads());
            for (int i = 0; i < c.blocks.length; i++) {
                int owner = index * c.blocks.length + i;
                c.blocks[i] = new Block(owner, new Shadow(shape.sharedBytes(), new SharedJudge(owner)), shape.threads(),
                        c.actors().length);
            }
            running.put(index, c);
        }
        latest = c;
        return c;
    }

    final ThreadClock actor(int block, int thread) {
        tick++;
        return cluster(block).actor(block, thread);
    }

    final Shape shape() {
        return shape;
    }

    /** The clusters that have not ended. */
    final Iterable<ClusterShadow> running() {
        return running.values();
    }

    /** A cluster has ended. */
    final void forget(ClusterShadow cluster) {
        cluster.forget();
        running.remove(cluster.index);
        latest = null;
    }

    private final class SharedJudge implements Shadow.Judge {
        private final int owner;

        SharedJudge(int owner) {
            this.owner = owner;
        }

        @Override
        public boolean isOrdered(ShadowAccess before, ShadowAccess now) {
            return Ordering.isOrdered(before, now, Clock.FOR_SHARED);
        }

        @Override
        public void conflict(ShadowAccess before, ShadowAccess now, int at, int count) {
            verdict.conflict(before, now, findings.shared(owner, at, count), Clock.FOR_SHARED);
        }

        @Override
        public void unwritten(ShadowAccess now, int at, int count) {
            verdict.unwritten(now, findings.shared(owner, at, count));
        }
    }
}
