package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.CheckedCluster.Block;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ReleasedValues;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.hazard.shadow.GlobalShadow;
import dev.tilewright.hazard.shadow.Ordering;
import dev.tilewright.hazard.shadow.Shadow;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.reference.ExecutionObserver;
import java.util.HashMap;
import java.util.Map;

/** What is being checked: the clusters that run, their threads and their shared memory. */
public abstract class RunState implements ExecutionObserver {
    public final Findings findings;
    public final RaceClassifier verdict;
    private final Map<Integer, CheckedCluster> running = new HashMap<>();
    /** The cluster that was told of last. */
    private CheckedCluster latest;
    private Shape shape;
    public final ReleasedValues flags = new ReleasedValues();
    public GlobalShadow global;
    /** The time, by the order of all that is told. */
    public long tick;
    /** Bytes touched so far. */
    public long bytes;
    /** Whether the reference cannot go on. */
    public boolean faulted;

    public RunState(Findings findings) {
        this.findings = findings;
        this.verdict = new RaceClassifier(findings);
    }

    @Override
    public void starts(Shape of) {
        shape = of;
        global = new GlobalShadow(of.pieces(), verdict);
    }

    public final CheckedCluster cluster(int block) {
        int index = block / shape.clusterBlocks();
        if (latest != null && latest.index == index) {
            return latest;
        }
        CheckedCluster c = running.get(index);
        if (c == null) {
            c = new CheckedCluster(index, shape.clusterBlocks(), shape.threads());
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

    public final ThreadClock actor(int block, int thread) {
        tick++;
        return cluster(block).actor(block, thread);
    }

    public final Shape shape() {
        return shape;
    }

    /** The clusters that have not ended. */
    public final Iterable<CheckedCluster> running() {
        return running.values();
    }

    /** A cluster has ended. */
    public final void forget(CheckedCluster cluster) {
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
