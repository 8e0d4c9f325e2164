package dev.tilewright.hazard.order;

import dev.tilewright.hazard.analysis.CheckedCluster;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.shadow.ShadowAccess;
import java.util.ArrayList;
import java.util.List;

/** One thread of a block that is being checked: what it knows, and what it has started. */
public final class ThreadClock {
    private static final int RECENT = 8;

    public final CheckedCluster cluster;
    public final int block;
    public final int thread;
    /** Its place in the clocks of its cluster. */
    public final int slot;
    /** What it knows of all others. */
    public Clock base = Clock.ZERO;
    /** Its own steps are numbered by how often it has told others of them; the number of the next ones. */
    public int own = 1;
    public int ownForShared;
    public int ownForGlobal;

    private Groups copies;
    private Groups stores;
    /** What it would know if it had acquired what it has read; null for nothing. */
    public Clock seen;
    /** The same of reads with a scope alone, which a fence makes up for. */
    public Clock seenStrongly;
    /** What a release fence has made ready for later relaxed stores; null for nothing. */
    public ClockSnapshot fenced;
    /** Where it read something that it did not acquire. */
    public int seenAt;
    /** The last wait for a barrier that passed. */
    public Waited lastWait;
    /** Openings of the cluster's barrier that it has passed. */
    public long clusterPassed;
    /** The opening that it has arrived for. */
    public long clusterArrived;
    /** What it touched last, which the next bytes that it touches in the same way share; by step and kind. */
    private ShadowAccess[] recent;
    public boolean exited;
    /** The {@code __syncthreads} that it has come to; 0 for none. */
    public int atSync;
    /** The barrier that it waits for and has not passed; null for none. */
    public Barrier blockedAt;
    public int blockedStep;
    /** The parity that it waits for; -1 where it is a token. */
    public long blockedParity;

    /** A wait for a barrier. @param vain whether it taught the thread nothing */
    public record Waited(Barrier barrier, int step, boolean vain, long tick) {
    }

    public ThreadClock(CheckedCluster cluster, int block, int thread, int slot) {
        this.cluster = cluster;
        this.block = block;
        this.thread = thread;
        this.slot = slot;
    }

    /** How far it knows another thread, or the phases of a barrier, to have come. */
    public int knows(CheckedCluster of, int otherSlot, int lane) {
        if (of != cluster) {
            return base.other(of).get(otherSlot, lane);
        }
        if (otherSlot != slot) {
            return base.get(otherSlot, lane);
        }
        return switch (lane) {
            case Clock.FOR_SHARED -> ownForShared;
            case Clock.FOR_GLOBAL -> ownForGlobal;
            default -> own;
        };
    }

    /** Whether it knows that a copy is done. */
    public boolean knows(CopyCompletion done, int lane) {
        return done.at != CopyCompletion.NEVER && knows(done.actor.cluster, done.actor.slot, lane) >= done.at
                || done.barrier != null && knows(done.barrier.cluster, done.barrier.slot, lane) > done.phase;
    }

    /** Whether a clock holds that a copy is done. */
    public static boolean knows(Clock clock, CopyCompletion done) {
        return done.at != CopyCompletion.NEVER && clock.get(done.actor.slot, Clock.ORDERED) >= done.at
                || done.barrier != null && clock.get(done.barrier.slot, Clock.ORDERED) > done.phase;
    }

    public void learn(Clock clock) {
        base = base.join(clock);
    }

    /** What follows is not yet known to anybody who was told before. */
    public void tell() {
        own++;
    }

    /** What it knows now, for others. */
    public ClockSnapshot publish() {
        return new ClockSnapshot(this, base, own, ownForShared, ownForGlobal);
    }

    /** Takes over what another thread knew. */
    public void learn(ClockSnapshot published) {
        if (published.actor() == this) {
            return;
        }
        learn(published.actor().cluster, published.clock());
    }

    public void learn(CheckedCluster of, Clock clock) {
        base = of == cluster ? base.join(clock) : base.joinOther(cluster, of, clock);
    }

    /** What it has done so far is ordered for the asynchronous proxy. */
    public void proxyFence(boolean shared, boolean global) {
        base = base.fenced(shared, global);
        if (shared) {
            ownForShared = own;
        }
        if (global) {
            ownForGlobal = own;
        }
        own++;
    }

    /** The record of an access, shared with others of the same kind by the same step. */
    public ShadowAccess touch(int step, int kind, int scope, CopyCompletion done) {
        if (recent == null) {
            recent = new ShadowAccess[RECENT];
        }
        int place = (2 * step + (kind & 3)) % RECENT;
        ShadowAccess t = recent[place];
        if (t == null || t.step != step || t.kind != kind || t.stamp != own || t.done != done) {
            t = new ShadowAccess(this, own, step, kind, scope, done);
            recent[place] = t;
        }
        return t;
    }

    /** Its cp.async copies. */
    public Groups copies() {
        if (copies == null) {
            copies = new Groups();
        }
        return copies;
    }

    /** Its bulk stores. */
    public Groups stores() {
        if (stores == null) {
            stores = new Groups();
        }
        return stores;
    }

    public boolean hasCopied() {
        return copies != null || stores != null;
    }

    /** Lets go of what is only needed while the cluster runs. */
    public void forget() {
        base = Clock.ZERO;
        recent = null;
        copies = null;
        stores = null;
        lastWait = null;
        seen = null;
        seenStrongly = null;
        fenced = null;
    }

    /** The copies of a thread that wait in groups, oldest first. */
    public static final class Groups {
        public final List<CopyCompletion> open = new ArrayList<>();
        public final java.util.ArrayDeque<List<CopyCompletion>> closed = new java.util.ArrayDeque<>();
        /** The step of the last wait, and when it was. */
        public int waitStep;
        public long waitTick = -1;
        public int waitPending;
        /** The thread's own time at that wait. */
        public int waitOwn;

        public void commit() {
            closed.add(List.copyOf(open));
            open.clear();
        }

        public void waited(int step, long tick, int pending, int own) {
            waitOwn = own;
            waitStep = step;
            waitTick = tick;
            waitPending = pending;
        }
    }
}
