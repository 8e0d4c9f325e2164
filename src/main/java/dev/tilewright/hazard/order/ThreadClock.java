package dev.tilewright.hazard.order;

import dev.tilewright.ptx.Scope;

/**
 * What one thread knows to have happened before what it does next, and what it would know if it had acquired all that
 * it has read. Its own steps are numbered by a time that goes on whenever it tells other threads of them.
 */
public final class ThreadClock {
    private final ClusterClocks cluster;
    private final int block;
    private final int thread;
    private final int slot;
    /** What it knows of all others. */
    private Clock known = Clock.ZERO;
    /** The time of its next steps, and up to which time its steps are ordered for the asynchronous proxy as well. */
    private int time = 1;
    private int timeForShared;
    private int timeForGlobal;
    /** What it would know if it had acquired what it has read; null for nothing. */
    private Clock seen;
    /** The same of reads with a scope alone, which a fence makes up for. */
    private Clock seenWithScope;
    /** The step of the last read of something that it did not acquire. */
    private int seenStep;
    /** What a release fence has made ready for later relaxed stores; null for nothing. */
    private ClockSnapshot released;
    /** The opening of the cluster's barrier that it has arrived for, and how many it has passed. */
    private long arrivedAtCluster;
    private long passedCluster;

    ThreadClock(ClusterClocks cluster, int block, int thread, int slot) {
        this.cluster = cluster;
        this.block = block;
        this.thread = thread;
        this.slot = slot;
    }

    public ClusterClocks cluster() {
        return cluster;
    }

    /** The number of its block in the grid. */
    public int block() {
        return block;
    }

    /** Its number in its block. */
    public int thread() {
        return thread;
    }

    /** Its place in the clocks of its cluster. */
    public int slot() {
        return slot;
    }

    /** The time of what it does next. */
    public int time() {
        return time;
    }

    // ---- what it knows

    /**
     * How far it knows another thread, or itself, to have come.
     *
     * @param lane see {@link Clock}
     */
    public int knows(ThreadClock other, int lane) {
        return knows(other.cluster, other.slot, lane);
    }

    /**
     * How far it knows a thread to have come, or how many phases of an mbarrier to be complete.
     *
     * @param lane see {@link Clock}
     */
    public int knows(ClusterClocks of, int ofSlot, int lane) {
        if (of != cluster) {
            return known.other(of).get(ofSlot, lane);
        }
        if (ofSlot != slot) {
            return known.get(ofSlot, lane);
        }
        return switch (lane) {
            case Clock.FOR_SHARED -> timeForShared;
            case Clock.FOR_GLOBAL -> timeForGlobal;
            default -> time;
        };
    }

    /**
     * Whether what a thread did at a time is ordered before what this one does next; this thread's own steps always
     * are.
     */
    public boolean isAfter(ThreadClock other, int atTime) {
        return other == this || knows(other, Clock.ORDERED) >= atTime;
    }

    /** Whether it has read something that it would know this by, had it acquired it. */
    public boolean hasSeen(ThreadClock other, int atTime) {
        return seen != null && (other.cluster == cluster && seen.get(other.slot, Clock.ORDERED) >= atTime
                || seen.other(other.cluster).get(other.slot, Clock.ORDERED) >= atTime);
    }

    /**
     * How many phases of an mbarrier it knows to be complete, or would know if it had acquired what it read with a
     * scope.
     */
    public int hasSeenPhases(int ofSlot) {
        int phases = known.get(ofSlot, Clock.ORDERED);
        return seenWithScope == null ? phases : Math.max(phases, seenWithScope.get(ofSlot, Clock.ORDERED));
    }

    /** The step of the last read of something that it did not acquire. */
    public int seenStep() {
        return seenStep;
    }

    /** How often it has passed the cluster's barrier. */
    public long passedCluster() {
        return passedCluster;
    }

    /** Whether a scope of an access by this thread includes another thread. @param scope null for none */
    public boolean reaches(ThreadClock other, Scope scope) {
        if (scope == null) {
            return false;
        }
        return switch (scope) {
            case CTA -> block == other.block;
            case CLUSTER -> cluster == other.cluster;
            case GPU, SYS -> true;
        };
    }

    // ---- how it learns

    public void learn(Clock clock) {
        known = known.join(clock);
    }

    /** Takes over what another thread knew. */
    void learn(ClockSnapshot of) {
        ClusterClocks other = of.thread().cluster;
        known = other == cluster ? known.join(of.clock()) : known.joinOther(cluster, other, of.clock());
    }

    /**
     * It has read something that carries this, and does not acquire it.
     *
     * @param withScope whether a fence makes up for that
     */
    public void see(Clock clock, int step, boolean withScope) {
        seen = seen == null ? clock : seen.join(clock);
        seenStep = step;
        if (withScope) {
            seenWithScope = seenWithScope == null ? clock : seenWithScope.join(clock);
        }
    }

    void see(ClockSnapshot of, int step, boolean withScope) {
        ClusterClocks other = of.thread().cluster;
        see(other == cluster ? of.clock() : Clock.ZERO.joinOther(cluster, other, of.clock()), step, withScope);
    }

    // ---- how it tells others

    /** What follows is not yet known to any thread that was told before. */
    public void tell() {
        time++;
    }

    /** What it knows now. */
    ClockSnapshot snapshot() {
        return new ClockSnapshot(this, known, time, timeForShared, timeForGlobal);
    }

    /** What its relaxed stores carry since its last release fence; null for nothing. */
    ClockSnapshot released() {
        return released;
    }

    void addTo(ClockAccumulator sum) {
        sum.add(known);
        sum.put(slot, time, timeForShared, timeForGlobal);
    }

    /** Adds what its relaxed operations make known. */
    public void addReleasedTo(ClockAccumulator sum) {
        if (released != null) {
            sum.add(released.clock());
        }
    }

    void meet(Clock all) {
        known = all;
        time++;
    }

    void arriveAtCluster(long opened, boolean releases, ClockAccumulator sum) {
        if (releases) {
            addTo(sum);
            time++;
        } else {
            addReleasedTo(sum);
        }
        arrivedAtCluster = opened;
    }

    long arrivedAtCluster() {
        return arrivedAtCluster;
    }

    void passCluster(Clock all) {
        learn(all);
        passedCluster = arrivedAtCluster + 1;
    }

    // ---- fences

    /** What it has done so far is ordered for the asynchronous proxy. */
    public void proxyFence(boolean shared, boolean global) {
        known = known.fenced(shared, global);
        if (shared) {
            timeForShared = time;
        }
        if (global) {
            timeForGlobal = time;
        }
        time++;
    }

    public void fence(boolean acquires, boolean releases) {
        if (acquires && seenWithScope != null) {
            learn(seenWithScope);
            seenWithScope = null;
        }
        if (releases) {
            released = snapshot();
            time++;
        }
    }

    /** Lets go of what is only needed while the cluster runs. */
    void forget() {
        known = Clock.ZERO;
        seen = null;
        seenWithScope = null;
        released = null;
    }
}
