package dev.tilewright.hazard.order;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * What a thread knows to have happened before: how far each thread of its cluster had come, how many phases of each
 * mbarrier are complete, and the same for other clusters. Never changes.
 *
 * <p>Each entry has several lanes. {@link #ORDERED} is what memory accesses are ordered by; {@link #IN_TIME} what has
 * happened before in time, however the thread came to know of it: a relaxed arrival tells that it was made, though not
 * what its thread wrote before. Others say what of the first is also ordered for the asynchronous proxy: in global
 * memory, and in the shared memory of each block of the cluster; what of it fences have released, so that relaxed
 * stores carry it; and what an acquiring fence would add to it.
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
    /** What was read with a scope and waits for a fence, of the block's scope; after it, of the cluster's and of all. */
    static final int PENDING = RELEASED + ThreadClock.LEVELS;
    private static final int FOR_SHARED = PENDING + ThreadClock.LEVELS;

    public static final Clock ZERO = new Clock(new int[0][], Map.of());

    /** By lane, then by slot; null where all are 0. */
    private final int[][] lanes;
    private final Map<ClusterClocks, Clock> others;
    private Clock lastOther;
    private Clock lastJoined;
    private Clock timeOnly;
    /** The last results of fences, which threads that share this clock share as well. */
    private int lastFence = -1;
    private Clock lastFenced;
    private final Clock[] releasedUpTo = new Clock[ThreadClock.LEVELS];

    Clock(int[][] lanes, Map<ClusterClocks, Clock> others) {
        this.lanes = lanes;
        this.others = others;
    }

    /** Ordered before asynchronous accesses to the shared memory of the block of this rank as well. */
    public static int forShared(int rank) {
        return FOR_SHARED + rank;
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
        return others.getOrDefault(cluster, ZERO);
    }

    int[][] lanes() {
        return lanes;
    }

    Map<ClusterClocks, Clock> others() {
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
        if (lastOther != other) {
            lastJoined = joined(other);
            lastOther = other;
        }
        return lastJoined;
    }

    private Clock joined(Clock other) {
        Map<ClusterClocks, Clock> of = join(others, other.others);
        int[][] result = new int[Math.max(lanes.length, other.lanes.length)][];
        boolean same = of == others && result.length == lanes.length;
        for (int lane = 0; lane < result.length; lane++) {
            int[] a = lane < lanes.length ? lanes[lane] : null;
            int[] b = lane < other.lanes.length ? other.lanes[lane] : null;
            // Lanes that share their arrays go on sharing them.
            boolean asBefore = lane > 0 && a == at(lanes, lane - 1) && b == at(other.lanes, lane - 1);
            result[lane] = asBefore ? result[lane - 1] : larger(a, b);
            same &= result[lane] == a;
        }
        return same ? this : new Clock(result, of);
    }

    private static int[] at(int[][] lanes, int lane) {
        return lane < lanes.length ? lanes[lane] : null;
    }

    /** The larger of each two entries; one of the two arrays where it holds them all. */
    private static int[] larger(int[] a, int[] b) {
        if (a == b || b == null || a != null && covers(a, b)) {
            return a;
        }
        if (a == null || covers(b, a)) {
            return b;
        }
        int[] result = Arrays.copyOf(a, Math.max(a.length, b.length));
        raise(result, b);
        return result;
    }

    private static boolean covers(int[] a, int[] b) {
        for (int i = 0; i < b.length; i++) {
            if (b[i] > (i < a.length ? a[i] : 0)) {
                return false;
            }
        }
        return true;
    }

    /** Makes each entry at least the other's. */
    static void raise(int[] entries, int[] by) {
        for (int i = 0; i < by.length; i++) {
            entries[i] = Math.max(entries[i], by[i]);
        }
    }

    static Map<ClusterClocks, Clock> join(Map<ClusterClocks, Clock> a, Map<ClusterClocks, Clock> b) {
        if (a == b || b.isEmpty()) {
            return a;
        }
        if (a.isEmpty()) {
            return b;
        }
        Map<ClusterClocks, Clock> result = new HashMap<>(a);
        b.forEach((cluster, clock) -> result.merge(cluster, clock, Clock::join));
        return result;
    }

    /** The same, and what another cluster's thread knew. */
    Clock joinOther(ClusterClocks own, ClusterClocks cluster, Clock clock) {
        Map<ClusterClocks, Clock> result = new HashMap<>(join(others, clock.others));
        Clock back = result.remove(own);
        result.merge(cluster, new Clock(clock.lanes, Map.of()), Clock::join);
        Clock mine = new Clock(lanes, result);
        return back == null ? mine : mine.join(back);
    }

    /** The same with one thread's entry. @param fenced its entries of later lanes, by lane; null for none */
    Clock with(int slot, int time, int[] fenced) {
        int[][] result = Arrays.copyOf(lanes, Math.max(2, Math.max(lanes.length, fenced == null ? 0 : fenced.length)));
        boolean shared = result[ORDERED] == result[IN_TIME];
        result[ORDERED] = with(result[ORDERED], slot, time);
        result[IN_TIME] = shared ? result[ORDERED] : with(result[IN_TIME], slot, time);
        for (int lane = FOR_GLOBAL; fenced != null && lane < fenced.length; lane++) {
            result[lane] = with(result[lane], slot, fenced[lane]);
        }
        return new Clock(result, others);
    }

    /** The same with one entry of what has happened in time. */
    Clock withInTime(int slot, int value) {
        int[][] result = Arrays.copyOf(lanes, Math.max(2, lanes.length));
        result[IN_TIME] = with(result[IN_TIME], slot, value);
        return new Clock(result, others);
    }

    private static int[] with(int[] entries, int slot, int value) {
        if (value == 0 || entries != null && slot < entries.length && entries[slot] >= value) {
            return entries;
        }
        int[] result = entries == null ? new int[slot + 1] : Arrays.copyOf(entries, Math.max(entries.length, slot + 1));
        result[slot] = value;
        return result;
    }

    /** That all this has happened, with no order of memory accesses. */
    Clock timeOnly() {
        if (timeOnly == null) {
            Map<ClusterClocks, Clock> result = new HashMap<>();
            others.forEach((cluster, clock) -> result.put(cluster, clock.timeOnly()));
            timeOnly = new Clock(new int[][] {null, at(lanes, IN_TIME)}, result.isEmpty() ? Map.of() : result);
        }
        return timeOnly;
    }

    /**
     * The same, where what is ordered is also ordered for the asynchronous proxy.
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
        int[][] result = Arrays.copyOf(lanes, Math.max(lanes.length, FOR_SHARED + lastRank + 1));
        for (int rank = firstRank; rank <= lastRank; rank++) {
            result[FOR_SHARED + rank] = ordered;
        }
        if (!global) {
            return new Clock(result, others);
        }
        result = Arrays.copyOf(result, Math.max(result.length, FOR_GLOBAL + 1));
        result[FOR_GLOBAL] = ordered;
        Map<ClusterClocks, Clock> theirs = new HashMap<>();
        others.forEach((cluster, clock) -> theirs.put(cluster, clock.fenced(true, 0, -1)));
        return new Clock(result, theirs.isEmpty() ? Map.of() : theirs);
    }

    /** The same, where what is ordered is released, for scopes up to a level. */
    Clock releasedUpTo(int level) {
        if (releasedUpTo[level] == null) {
            releasedUpTo[level] = release(level);
        }
        return releasedUpTo[level];
    }

    private Clock release(int level) {
        int[][] result = Arrays.copyOf(lanes, Math.max(lanes.length, RELEASED + level + 1));
        for (int i = 0; i <= level; i++) {
            result[RELEASED + i] = at(lanes, ORDERED);
        }
        Map<ClusterClocks, Clock> theirs = new HashMap<>();
        others.forEach((cluster, clock) -> theirs.put(cluster, clock.releasedUpTo(level)));
        return new Clock(result, theirs.isEmpty() ? Map.of() : theirs);
    }

    /** Whether fences have released anything. */
    boolean hasReleased(int level) {
        return at(lanes, RELEASED + level) != null
                || others.values().stream().anyMatch(clock -> clock.hasReleased(level));
    }

    /** Whether fences have released the same for two levels. */
    boolean hasReleasedAlike(int level, int other) {
        return at(lanes, RELEASED + level) == at(lanes, RELEASED + other)
                && others.values().stream().allMatch(clock -> clock.hasReleasedAlike(level, other));
    }

    /** What of this fences have released, for scopes of a level. */
    Clock released(int level) {
        int[] released = at(lanes, RELEASED + level);
        int[][] result = lanes.clone();
        for (int lane = 0; lane < result.length; lane++) {
            result[lane] = lane == IN_TIME ? lanes[IN_TIME]
                    : lane >= PENDING && lane < FOR_SHARED ? null : smaller(lanes[lane], released);
        }
        Map<ClusterClocks, Clock> theirs = new HashMap<>();
        others.forEach((cluster, clock) -> theirs.put(cluster, clock.released(level)));
        return new Clock(result, theirs.isEmpty() ? Map.of() : theirs);
    }

    private static int[] smaller(int[] a, int[] b) {
        if (a == b || a == null || b == null) {
            return a == b ? a : null;
        }
        int[] result = new int[Math.min(a.length, b.length)];
        for (int i = 0; i < result.length; i++) {
            result[i] = Math.min(a[i], b[i]);
        }
        return result;
    }

    /** What is ordered here, as something that waits for a fence with a scope of a level. */
    Clock pending(int level) {
        int[][] result = new int[PENDING + level + 1][];
        result[PENDING + level] = at(lanes, ORDERED);
        Map<ClusterClocks, Clock> theirs = new HashMap<>();
        others.forEach((cluster, clock) -> theirs.put(cluster, clock.pending(level)));
        return new Clock(result, theirs.isEmpty() ? Map.of() : theirs);
    }

    /** What waits for a fence with a scope of a level, as ordered. */
    Clock acquired(int level) {
        Map<ClusterClocks, Clock> theirs = new HashMap<>();
        others.forEach((cluster, clock) -> theirs.put(cluster, clock.acquired(level)));
        int[] pending = at(lanes, PENDING + level);
        return new Clock(new int[][] {pending, pending}, theirs.isEmpty() ? Map.of() : theirs);
    }

    /** Whether anything waits for a fence. */
    boolean hasPending(int level) {
        return at(lanes, PENDING + level) != null || others.values().stream().anyMatch(clock -> clock.hasPending(level));
    }
}
