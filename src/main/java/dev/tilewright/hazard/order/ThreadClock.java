package dev.tilewright.hazard.order;

import dev.tilewright.hazard.order.Gap.Missed;
import dev.tilewright.hazard.order.Gap.Reason;
import dev.tilewright.ptx.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one thread knows to have happened before what it does next. Its own steps are numbered by a time that goes on
 * whenever it tells other threads of them.
 */
public final class ThreadClock {
    /** Levels of scopes: the block, the cluster, all. */
    static final int LEVELS = 3;

    private final ClusterClocks cluster;
    private final int block;
    private final int thread;
    private final int slot;
    /** The time of the last wait that it has passed. */
    private int waitedAt;
    /** What it knows of all others. */
    private Clock known = Clock.ZERO;
    /** The time of its next steps. */
    private int time = 1;
    private FencedTimes fenced = new FencedTimes();
    /** What it has read with a scope and not acquired; null for nothing. */
    private RelaxedReads unacquired;
    private final OrderHints hints = new OrderHints();
    /** The step of its last release fence; 0 for none. */
    private int fenceStep;
    /** What its releasing stores to places carried, by place and level: its later relaxed stores there carry it too. */
    private Map<Long, ClockSnapshot[]> releasedAt;
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

    /** The rank of its block in the cluster. */
    public int rank() {
        return cluster.rank(this);
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

    /** What would have ordered more for it, and what it was told. */
    public OrderHints hints() {
        return hints;
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
        if (lane == Clock.ORDERED || lane == Clock.IN_TIME) {
            return time;
        }
        // What another thread has fenced for it counts as its own fence does.
        return Math.max(fenced.in(lane), known.get(ofSlot, lane));
    }

    /**
     * Whether what a thread did at a time is ordered before what this one does next; this thread's own steps always
     * are.
     */
    public boolean isAfter(ThreadClock other, int atTime) {
        return other == this || knows(other, Clock.ORDERED) >= atTime;
    }

    /** Whether what a thread did at a time has happened before what this one does next, ordered or not. */
    public boolean hasHappened(ThreadClock other, int atTime) {
        return other == this || knows(other, Clock.IN_TIME) >= atTime;
    }

    /** How many phases of an mbarrier it knows to be complete, by whatever told it. */
    public int hasSeenPhases(int ofSlot) {
        return known.get(ofSlot, Clock.IN_TIME);
    }

    /** It can tell that this many phases of an mbarrier are complete. */
    public void knowsPhases(int ofSlot, int phases) {
        if (known.get(ofSlot, Clock.IN_TIME) < phases) {
            known = known.withInTime(ofSlot, phases);
        }
    }

    /** How often it has passed the cluster's barrier. */
    public long passedCluster() {
        return passedCluster;
    }

    /** Whether a scope of an access by this thread includes another thread. @param scope null for none */
    public boolean reaches(ThreadClock other, Scope scope) {
        return scope != null && level(scope) >= levelTo(other);
    }

    /** The smallest level of scopes that includes another thread. */
    int levelTo(ThreadClock other) {
        return block == other.block ? 0 : cluster == other.cluster ? 1 : 2;
    }

    static int level(Scope scope) {
        return switch (scope) {
            case CTA -> 0;
            case CLUSTER -> 1;
            case GPU, SYS -> 2;
        };
    }

    // ---- how it learns

    public void learn(Clock clock) {
        known = known.join(clock);
    }

    /** All this has happened, and none of it is ordered for this thread's accesses. */
    public void learnInTime(Clock clock) {
        known = known.join(clock.timeOnly());
    }

    /** Takes over what another thread knew. */
    void learn(ClockSnapshot of) {
        if (knows(of.thread(), Clock.ORDERED) < of.time()) {
            join(of.thread().cluster, of.clock());
        }
    }

    void learnInTime(ClockSnapshot of) {
        if (knows(of.thread(), Clock.IN_TIME) < of.time()) {
            join(of.thread().cluster, of.clock().timeOnly());
        }
    }

    private void join(ClusterClocks of, Clock clock) {
        known = of == cluster ? known.join(clock) : known.joinOther(cluster, of, clock);
    }

    /**
     * All that another thread has done and known is ordered for it, as what another grid did for one that waits for it.
     */
    public void learnAllOf(ThreadClock other) {
        learn(other.snapshot());
    }

    /**
     * It has read, with a scope, something that carries this, and does not acquire it: a fence will, or a read of the
     * same place that does.
     *
     * @param level of the fence or read that is needed
     * @param key the place; null for none
     */
    void readsRelaxed(Clock clock, int level, Long key) {
        if (unacquired == null) {
            unacquired = new RelaxedReads();
        }
        unacquired.add(clock, level, key);
        known = known.join(clock.pending(level));
    }

    /** It acquires at a place, at a scope, what it may have read there before. */
    void acquiresAt(long key, Scope scope) {
        if (unacquired != null) {
            unacquired.at(key, level(scope), this::learn);
        }
    }

    /** It has waited for an mbarrier without acquiring. @param ofCluster whether what it missed is of other blocks */
    public void waitsRelaxed(Clock clock, boolean ofCluster, int step) {
        learnInTime(clock);
        readsRelaxed(clock, ofCluster ? 1 : 0, null);
        hints.misses(new Gap(Reason.NOT_ACQUIRED, step, this, Missed.of(clock, cluster)));
    }

    // ---- how it tells others

    /** What follows is not yet known to any thread that was told before. */
    public void tell() {
        time++;
    }

    /** It has passed a wait: who comes together with it from now on knows so. */
    public void passesWait() {
        waitedAt = time;
        time++;
    }

    /** Adds the waits that it has passed, and all of which it knows that it has happened. */
    void addWaitsTo(ClockAccumulator sum) {
        sum.add(known.timeOnly());
        sum.putInTime(slot, waitedAt);
    }

    /** What it knows now. */
    ClockSnapshot snapshot() {
        return new ClockSnapshot(this, known, time, fenced.snapshot());
    }

    /** What it knows now, itself included, for those whom it does not tell. */
    public Missed missed() {
        return snapshot()::covers;
    }

    /** What its relaxed stores to a place carry as its releasing ones there did, by level; null for nothing. */
    ClockSnapshot[] carriedAt(long key) {
        return releasedAt == null ? null : releasedAt.get(key);
    }

    /** Whether a store or update of its own at a place has released, so that its relaxed stores there carry that. */
    public boolean hasReleasedAt(long key) {
        return carriedAt(key) != null;
    }

    /** Whether a fence has released anything for a scope that its relaxed stores carry. */
    public boolean hasReleasedByFence(Scope scope) {
        return hasReleasedByFence(level(scope));
    }

    private boolean hasReleasedByFence(int level) {
        return fenced.released(level) > 0 || known.hasReleased(level);
    }

    /** What its relaxed stores carry because of fences, at scopes of a level; null for nothing that others lack. */
    ClockSnapshot carriedByFence(int level) {
        if (!hasReleasedByFence(level)) {
            return null;
        }
        boolean asNext = level + 1 < LEVELS && known.hasReleasedAlike(level)
                && fenced.released(level) == fenced.released(level + 1);
        return asNext ? null : ClockSnapshot.released(this, known, time, fenced.snapshot(), level);
    }

    /** The step of its last release fence; another one where it has performed none. */
    int fenceStep(int otherwise) {
        return fenceStep == 0 ? otherwise : fenceStep;
    }

    /** A store or update of it has released at a place. */
    void releasedAt(long key, ClockSnapshot snapshot, Scope scope) {
        if (releasedAt == null) {
            releasedAt = new HashMap<>();
        }
        releasedAt.computeIfAbsent(key, _ -> new ClockSnapshot[LEVELS])[level(scope)] = snapshot;
    }

    void addTo(ClockAccumulator sum) {
        sum.add(known);
        sum.put(slot, time, fenced.byLane());
    }

    void addInTimeTo(ClockAccumulator sum) {
        sum.add(known.timeOnly());
        sum.putInTime(slot, time);
    }

    /** Adds what its relaxed operations make known to other threads of its block, or of its cluster. */
    public void addReleasedTo(ClockAccumulator sum, boolean ofCluster) {
        for (int level = ofCluster ? 1 : 0; level < LEVELS; level++) {
            ClockSnapshot released = carriedByFence(level);
            if (released != null) {
                sum.add(released.clock());
            }
        }
    }

    void meet(Clock all) {
        known = all;
        time++;
    }

    /** @param step of the arrival @param relaxed takes what is not made known */
    void arriveAtCluster(long opened, boolean releases, ClockAccumulator sum, int step, List<Gap> relaxed) {
        if (releases) {
            addTo(sum);
            time++;
        } else {
            relaxed.add(new Gap(Reason.NOT_RELEASED, step, this, missed()));
            addReleasedTo(sum, true);
            addInTimeTo(sum);
            time++;
        }
        arrivedAtCluster = opened;
    }

    long arrivedAtCluster() {
        return arrivedAtCluster;
    }

    void passCluster(Clock all, List<Gap> relaxed) {
        learn(all);
        relaxed.forEach(hints::misses);
        passedCluster = arrivedAtCluster + 1;
    }

    // ---- fences

    /**
     * What it knows is ordered for the asynchronous proxy.
     *
     * @param own whether in its own block's shared memory @param ofCluster whether in all of its cluster's
     */
    public void proxyFence(boolean global, boolean own, boolean ofCluster) {
        int rank = rank();
        int first = ofCluster ? 0 : own ? rank : 0;
        int last = ofCluster ? cluster.blocks() - 1 : own ? rank : -1;
        known = known.fenced(global, first, last);
        if (global) {
            fenced.put(Clock.FOR_GLOBAL, time);
        }
        for (int r = first; r <= last; r++) {
            fenced.put(Clock.forShared(r), time);
        }
        time++;
    }

    /** @param scope for which threads */
    public void fence(boolean acquires, boolean releases, Scope scope, int step) {
        int level = level(scope);
        if (acquires && unacquired != null) {
            unacquired.fence(level, this::learn,
                    left -> hints.misses(new Gap(Reason.SCOPE, step, this, Missed.of(left, cluster))));
        }
        for (int i = 0; acquires && i <= level; i++) {
            if (known.hasPending(i)) {
                learn(known.acquired(i));
            }
        }
        if (releases) {
            fenceStep = step;
            known = known.releasedUpTo(level);
            fenced.release(level, time);
            time++;
        }
    }

    /** A copy of this clock that stays as it is now: for what has to be asked later about what the thread knew. */
    public ThreadClock frozen() {
        ThreadClock copy = new ThreadClock(cluster, block, thread, slot);
        copy.fenced = fenced.copy();
        copy.known = known;
        copy.time = time;
        return copy;
    }

    /** Lets go of what is only needed while the cluster runs. */
    void forget() {
        known = Clock.ZERO;
        unacquired = null;
        hints.forget();
        releasedAt = null;
    }
}
