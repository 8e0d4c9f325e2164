package dev.tilewright.hazard.order;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * What a thread knows to have happened before: how far each thread of its cluster had come, how many phases of each
 * mbarrier are complete, and the same for other clusters. Never changes.
 *
 * <p>Each entry has three lanes: what is ordered, and what of that is also ordered for the asynchronous proxy, in
 * shared and in global memory. Many threads share one clock, and joining two clocks again gives the same result object.
 */
public final class Clock {
    static final int LANES = 3;
    /** Ordered before. */
    public static final int ORDERED = 0;
    /** Ordered before asynchronous accesses to shared memory as well. */
    public static final int FOR_SHARED = 1;
    /** Ordered before asynchronous accesses to global memory as well. */
    public static final int FOR_GLOBAL = 2;

    public static final Clock ZERO = new Clock(new int[0], Map.of());

    private final int[] entries;
    private final Map<ClusterClocks, Clock> others;
    private Clock lastOther;
    private Clock lastJoined;
    private final Clock[] fenced = new Clock[4];

    Clock(int[] entries, Map<ClusterClocks, Clock> others) {
        this.entries = entries;
        this.others = others;
    }

    public int get(int slot, int lane) {
        int i = LANES * slot + lane;
        return i < entries.length ? entries[i] : 0;
    }

    /** What is known of another cluster's threads. */
    Clock other(ClusterClocks cluster) {
        return others.getOrDefault(cluster, ZERO);
    }

    int[] entries() {
        return entries;
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
        int[] result = Arrays.copyOf(entries, Math.max(entries.length, other.entries.length));
        raise(result, other.entries);
        return new Clock(result, join(others, other.others));
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
        result.merge(cluster, new Clock(clock.entries, Map.of()), Clock::join);
        Clock mine = new Clock(entries, result);
        return back == null ? mine : mine.join(back);
    }

    /** The same with one thread's entry. */
    Clock with(int slot, int ordered, int forShared, int forGlobal) {
        int[] result = Arrays.copyOf(entries, Math.max(entries.length, LANES * (slot + 1)));
        put(result, slot, ordered, forShared, forGlobal);
        return new Clock(result, others);
    }

    static void put(int[] entries, int slot, int ordered, int forShared, int forGlobal) {
        int i = LANES * slot;
        entries[i] = Math.max(entries[i], ordered);
        entries[i + 1] = Math.max(entries[i + 1], forShared);
        entries[i + 2] = Math.max(entries[i + 2], forGlobal);
    }

    /** All that is ordered is also ordered for the asynchronous proxy. */
    Clock fenced(boolean shared, boolean global) {
        int which = (shared ? 1 : 0) + (global ? 2 : 0);
        if (fenced[which] == null) {
            fenced[which] = new Clock(fence(entries, shared, global), fence(others, shared, global));
        }
        return fenced[which];
    }

    private static int[] fence(int[] entries, boolean shared, boolean global) {
        int[] result = entries.clone();
        for (int i = 0; i < result.length; i += LANES) {
            if (shared) {
                result[i + FOR_SHARED] = result[i];
            }
            if (global) {
                result[i + FOR_GLOBAL] = result[i];
            }
        }
        return result;
    }

    private static Map<ClusterClocks, Clock> fence(Map<ClusterClocks, Clock> others, boolean shared, boolean global) {
        Map<ClusterClocks, Clock> result = new HashMap<>();
        others.forEach((cluster, clock) -> result.put(cluster, clock.fenced(shared, global)));
        return result.isEmpty() ? Map.of() : result;
    }
}
