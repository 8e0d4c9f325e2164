package dev.tilewright.hazard.order;

import java.util.Arrays;

/**
 * What a thread knows to have happened before: how far each thread of its cluster had come, how many phases of each
 * mbarrier are complete, and the same for other clusters. Never changes.
 *
 * <p>Each entry has several lanes. {@link #ORDERED} is what memory accesses are ordered by; {@link #IN_TIME} what has
 * happened before in time, however the thread came to know of it: a relaxed arrival tells that it was made, though not
 * what its thread wrote before. Others say what of the first is also ordered for the asynchronous proxy: in global
 * memory, and in the shared memory of each block of the cluster; what of it, and of that, fences have released, so that
 * relaxed stores carry it (PTX ISA 8.8: a proxy fence after the fence is not part of what they release); and what an
 * acquiring fence would add to it.
 *
 * <p>Many threads share one clock, and many lanes one array; joining two clocks again gives the same result object.
 */
public final class Clock {
    /** Ordered before. */
    public static final int ORDERED = 0;
    /** Before in time; at least what is ordered. */
    public static final int IN_TIME = 1;
    /** Ordered before asynchronous accesses to global memory as well. */
    public static final int FOR_GLOBAL = 2;
    /** What fences have released, for the block; after it, for the cluster and for all. */
    static final int RELEASED = 3;
    /**
     * What was read with a scope and waits for a fence, of the block's scope; after it, of the cluster's and of all.
     */
    static final int PENDING = RELEASED + ThreadClock.LEVELS;
    /** What of {@link #FOR_GLOBAL} fences have released, by level; the same follows each block's shared memory. */
    private static final int FOR_GLOBAL_RELEASED = PENDING + ThreadClock.LEVELS;
    private static final int FOR_SHARED = FOR_GLOBAL_RELEASED + ThreadClock.LEVELS;
    private static final int LANES_OF_A_BLOCK = 1 + ThreadClock.LEVELS;

    /** How a clock is made of another. */
    enum Derivation {
        TIME_ONLY, FENCED_FOR_GLOBAL,
        RELEASED_UP_TO_BLOCK, RELEASED_UP_TO_CLUSTER, RELEASED_UP_TO_ALL,
        RELEASED_FOR_BLOCK, RELEASED_FOR_CLUSTER, RELEASED_FOR_ALL,
        PENDING_FOR_BLOCK, PENDING_FOR_CLUSTER, PENDING_FOR_ALL,
        ACQUIRED_FOR_BLOCK, ACQUIRED_FOR_CLUSTER, ACQUIRED_FOR_ALL;

        static final int COUNT = values().length;
        private static final Derivation[] ALL = values();

        /** The one of a level. */
        Derivation at(int level) {
            return ALL[ordinal() + level];
        }
    }

    public static final Clock ZERO = new Clock(new int[0][], OtherClusters.NONE);

    /** By lane, then by slot; null where all are 0. */
    private final int[][] lanes;
    private final OtherClusters others;
    // The last two that were put together with this, and what that gave.
    private Clock lastOther;
    private Clock lastJoined;
    private Clock olderOther;
    private Clock olderJoined;
    /** What is made of it, which threads that share this clock share as well; null for nothing yet. */
    private Clock[] derived;
    /** The last result of a fence for shared memory. */
    private int lastFence = -1;
    private Clock lastFenced;

    Clock(int[][] lanes, OtherClusters others) {
        this.lanes = lanes;
        this.others = others;
    }

    /** What all clusters know, as one of them has it. */
    static Clock of(ClusterClocks own, OtherClusters all) {
        Clock mine = all.get(own.number());
        return mine == null ? new Clock(new int[0][], all) : new Clock(mine.lanes, all.without(own.number()));
    }

    /** This clock as what all clusters know. @param own in whose slots it is */
    OtherClusters everywhere(ClusterClocks own) {
        return others.join(OtherClusters.of(own.number(), alone()));
    }

    /** Ordered before asynchronous accesses to the shared memory of the block of this rank as well. */
    public static int forShared(int rank) {
        return FOR_SHARED + rank * LANES_OF_A_BLOCK;
    }

    /** Whether a lane of the clock is ordered for the asynchronous proxy. */
    static boolean isForProxy(int lane) {
        return lane == FOR_GLOBAL || lane >= FOR_SHARED && (lane - FOR_SHARED) % LANES_OF_A_BLOCK == 0;
    }

    /** What fences have released, for scopes of a level, of a lane that is ordered for the asynchronous proxy. */
    static int released(int lane, int level) {
        return lane == FOR_GLOBAL ? FOR_GLOBAL_RELEASED + level : lane + 1 + level;
    }

    public int get(int slot, int lane) {
        if (lane >= lanes.length) {
            return 0;
        }
        int[] entries = lanes[lane];
        return entries != null && slot < entries.length ? entries[slot] : 0;
    }

    /** What is known of another cluster's threads. */
    Clock other(ClusterClocks cluster) {
        Clock clock = others.get(cluster.number());
        return clock == null ? ZERO : clock;
    }

    int[][] lanes() {
        return lanes;
    }

    OtherClusters others() {
        return others;
    }

    /** Both together; of one cluster. */
    public Clock join(Clock other) {
        if (other == this || other == ZERO) {
            return this;
        }
        if (this == ZERO) {
            return other;
        }
        if (lastOther == other) {
            return lastJoined;
        }
        Clock both = olderOther == other ? olderJoined : joined(other);
        olderOther = lastOther;
        olderJoined = lastJoined;
        lastOther = other;
        lastJoined = both;
        return both;
    }

    private Clock joined(Clock other) {
        OtherClusters of = others.join(other.others);
        int[][] result = new int[Math.max(lanes.length, other.lanes.length)][];
        boolean same = of == others && result.length == lanes.length;
        boolean asOther = of == other.others && result.length == other.lanes.length;
        for (int lane = 0; lane < result.length; lane++) {
            int[] a = at(lanes, lane);
            int[] b = at(other.lanes, lane);
            // Lanes that share their arrays go on sharing them.
            boolean asBefore = lane > 0 && a == at(lanes, lane - 1) && b == at(other.lanes, lane - 1);
            result[lane] = asBefore ? result[lane - 1] : Entries.larger(a, b);
            same &= result[lane] == a;
            asOther &= result[lane] == b;
        }
        return same ? this : asOther ? other : new Clock(result, of);
    }

    private static int[] at(int[][] lanes, int lane) {
        return lane < lanes.length ? lanes[lane] : null;
    }

    /** Makes each entry at least the other's, and adds what another cluster's thread knew. */
    Clock joinOther(ClusterClocks own, ClusterClocks cluster, Clock clock) {
        OtherClusters theirs = clock.others;
        Clock back = theirs.get(own.number());
        OtherClusters all = others.join(back == null ? theirs : theirs.without(own.number()))
                .join(OtherClusters.of(cluster.number(), clock.alone()));
        Clock mine = all == others ? this : new Clock(lanes, all);
        return back == null ? mine : mine.join(back);
    }

    /** What it says of its own cluster. */
    private Clock alone() {
        return others == OtherClusters.NONE ? this : new Clock(lanes, OtherClusters.NONE);
    }

    /**
     * This clock with another entry of one thread.
     *
     * @param fenced its entries of later lanes, by lane; null for none
     */
    Clock with(int slot, int time, int[] fenced) {
        int[][] result = Arrays.copyOf(lanes, Math.max(2, Math.max(lanes.length, fenced == null ? 0 : fenced.length)));
        boolean shared = result[ORDERED] == result[IN_TIME];
        result[ORDERED] = Entries.with(result[ORDERED], slot, time);
        result[IN_TIME] = shared ? result[ORDERED] : Entries.with(result[IN_TIME], slot, time);
        for (int lane = FOR_GLOBAL; fenced != null && lane < fenced.length; lane++) {
            result[lane] = Entries.with(result[lane], slot, fenced[lane]);
        }
        return new Clock(result, others);
    }

    /** This clock with another entry of what has happened in time. */
    Clock withInTime(int slot, int value) {
        int[][] result = Arrays.copyOf(lanes, Math.max(2, lanes.length));
        result[IN_TIME] = Entries.with(result[IN_TIME], slot, value);
        return new Clock(result, others);
    }

    /** What is made of this in a way. */
    Clock derive(Derivation by) {
        if (derived == null) {
            derived = new Clock[Derivation.COUNT];
        }
        Clock known = derived[by.ordinal()];
        if (known == null) {
            OtherClusters theirs = others.derive(by);
            known = switch (by) {
                case TIME_ONLY -> new Clock(new int[][] {null, at(lanes, IN_TIME)}, theirs);
                case FENCED_FOR_GLOBAL -> fence(true, 0, -1);
                case RELEASED_UP_TO_BLOCK, RELEASED_UP_TO_CLUSTER, RELEASED_UP_TO_ALL ->
                        release(by.ordinal() - Derivation.RELEASED_UP_TO_BLOCK.ordinal(), theirs);
                case RELEASED_FOR_BLOCK, RELEASED_FOR_CLUSTER, RELEASED_FOR_ALL ->
                        releasedAlone(by.ordinal() - Derivation.RELEASED_FOR_BLOCK.ordinal(), theirs);
                case PENDING_FOR_BLOCK, PENDING_FOR_CLUSTER, PENDING_FOR_ALL ->
                        pending(by.ordinal() - Derivation.PENDING_FOR_BLOCK.ordinal(), theirs);
                case ACQUIRED_FOR_BLOCK, ACQUIRED_FOR_CLUSTER, ACQUIRED_FOR_ALL -> {
                    int[] pending = at(lanes, PENDING + by.ordinal() - Derivation.ACQUIRED_FOR_BLOCK.ordinal());
                    yield new Clock(new int[][] {pending, pending}, theirs);
                }
            };
            derived[by.ordinal()] = known;
        }
        return known;
    }

    /** That all this has happened, with no order of memory accesses. */
    Clock timeOnly() {
        return derive(Derivation.TIME_ONLY);
    }

    /**
     * This clock, where what is ordered is also ordered for the asynchronous proxy.
     *
     * @param firstRank of the blocks in whose shared memory it is @param lastRank less than the first for none
     */
    Clock fenced(boolean global, int firstRank, int lastRank) {
        int key = (global ? 1 : 0) | firstRank << 1 | lastRank + 1 << 16;
        if (key != lastFence) {
            lastFenced = fence(global, firstRank, lastRank);
            lastFence = key;
        }
        return lastFenced;
    }

    private Clock fence(boolean global, int firstRank, int lastRank) {
        int[] ordered = at(lanes, ORDERED);
        int[][] result = Arrays.copyOf(lanes, Math.max(lanes.length, lastRank < 0 ? 0 : forShared(lastRank) + 1));
        for (int rank = firstRank; rank <= lastRank; rank++) {
            result[forShared(rank)] = ordered;
        }
        if (!global) {
            return new Clock(result, others);
        }
        result = Arrays.copyOf(result, Math.max(result.length, FOR_GLOBAL + 1));
        result[FOR_GLOBAL] = ordered;
        return orThis(result, others.derive(Derivation.FENCED_FOR_GLOBAL));
    }

    /** A clock with these lanes; this one where it has the same. */
    private Clock orThis(int[][] result, OtherClusters of) {
        if (of != others || result.length != lanes.length) {
            return new Clock(result, of);
        }
        for (int lane = 0; lane < result.length; lane++) {
            if (result[lane] != lanes[lane]) {
                return new Clock(result, of);
            }
        }
        return this;
    }

    /** This clock, where what is ordered is released, for scopes up to a level. */
    Clock releasedUpTo(int level) {
        return derive(Derivation.RELEASED_UP_TO_BLOCK.at(level));
    }

    private Clock release(int level, OtherClusters theirs) {
        int[][] result = Arrays.copyOf(lanes, lanesToRelease(lanes.length, level));
        for (int i = 0; i <= level; i++) {
            result[RELEASED + i] = at(lanes, ORDERED);
        }
        for (int lane = FOR_GLOBAL; lane < lanes.length; lane++) {
            for (int i = 0; i <= level && isForProxy(lane); i++) {
                result[released(lane, i)] = lanes[lane];
            }
        }
        return orThis(result, theirs);
    }

    /** How many lanes a fence releases for scopes up to a level. */
    static int lanesToRelease(int lanes, int level) {
        int last = Math.max(RELEASED + level, lanes <= FOR_GLOBAL ? 0 : released(FOR_GLOBAL, level));
        int blocks = Math.max(0, lanes - FOR_SHARED + LANES_OF_A_BLOCK - 1) / LANES_OF_A_BLOCK;
        return Math.max(lanes, Math.max(last + 1, blocks == 0 ? 0 : released(forShared(blocks - 1), level) + 1));
    }

    /** Whether fences have released anything. */
    boolean hasReleased(int level) {
        return at(lanes, RELEASED + level) != null || others.anyHasReleased(level);
    }

    /** Whether fences have released the same for a level and the next. */
    boolean hasReleasedAlike(int level) {
        return at(lanes, RELEASED + level) == at(lanes, RELEASED + level + 1) && others.allHaveReleasedAlike(level);
    }

    /** What of this fences have released, for scopes of a level. */
    Clock released(int level) {
        return derive(Derivation.RELEASED_FOR_BLOCK.at(level));
    }

    private Clock releasedAlone(int level, OtherClusters theirs) {
        int[][] result = new int[lanes.length][];
        result[ORDERED] = at(lanes, RELEASED + level);
        result[IN_TIME] = lanes[IN_TIME];
        for (int i = 0; i < ThreadClock.LEVELS; i++) {
            withBoth(result, RELEASED + i, RELEASED + level);
        }
        for (int lane = FOR_GLOBAL; lane < lanes.length; lane++) {
            if (isForProxy(lane)) {
                result[lane] = at(lanes, released(lane, level));
                for (int i = 0; i < ThreadClock.LEVELS; i++) {
                    withBoth(result, released(lane, i), released(lane, level));
                }
            }
        }
        return orThis(result, theirs);
    }

    /** A lane with what it and another one hold. */
    private void withBoth(int[][] result, int lane, int other) {
        if (lane < result.length) {
            result[lane] = Entries.smaller(lanes[lane], at(lanes, other));
        }
    }

    /** What is ordered here, as something that waits for a fence with a scope of a level. */
    Clock pending(int level) {
        return derive(Derivation.PENDING_FOR_BLOCK.at(level));
    }

    private Clock pending(int level, OtherClusters theirs) {
        int[][] result = new int[PENDING + level + 1][];
        result[PENDING + level] = at(lanes, ORDERED);
        return new Clock(result, theirs);
    }

    /** What waits for a fence with a scope of a level, as ordered. */
    Clock acquired(int level) {
        return derive(Derivation.ACQUIRED_FOR_BLOCK.at(level));
    }

    /** Whether anything waits for a fence. */
    boolean hasPending(int level) {
        return at(lanes, PENDING + level) != null || others.anyHasPending(level);
    }
}
