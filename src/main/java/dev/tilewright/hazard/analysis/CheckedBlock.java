package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.ClockAccumulator;
import dev.tilewright.hazard.order.ClusterClocks;
import dev.tilewright.hazard.order.NamedMeeting;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.Shadow;
import dev.tilewright.hazard.shadow.ShadowAccess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A block that is being checked: its shared memory and the mbarriers in it. */
final class CheckedBlock {
    /** A thread has ended an mbarrier's life. @param time the thread's own */
    record Invalidation(Barrier barrier, ThreadClock thread, int time, int step) { }

    /** Its number in the grid. */
    final int index;
    final Shadow shared;
    /** What its threads knew when they ended. */
    final ClockAccumulator ends;
    /** Copies of threads that have ended, and did not know that they were over. */
    final List<CopyCompletion> left = new ArrayList<>(0);
    /** Threads that have not ended. */
    int live;
    private final Map<Integer, Barrier> barriers = new HashMap<>();
    private final Map<Integer, Invalidation> invalidations = new HashMap<>(0);
    /** The mbarrier that was asked for last. */
    private Barrier recent;
    private final Map<Integer, NamedMeeting> named = new HashMap<>(0);
    private final ClusterClocks clocks;
    /** The last access of each thread of another block to its shared memory. */
    private final Map<ThreadClock, ShadowAccess> remoteAccesses = new LinkedHashMap<>();
    /** Copies from its shared memory that other blocks count. */
    private final Map<CopyCompletion, ShadowAccess> remoteCopies = new LinkedHashMap<>();

    CheckedBlock(int index, Shadow shared, int threads, ClusterClocks clocks) {
        this.clocks = clocks;
        this.index = index;
        this.shared = shared;
        this.live = threads;
        this.ends = clocks.accumulator();
    }

    /** The mbarrier at an address; null if none has been initialised there. */
    Barrier barrier(int address) {
        if (recent == null || recent.address() != address) {
            recent = barriers.get(address);
        }
        return recent;
    }

    void put(Barrier barrier) {
        barriers.put(barrier.address(), barrier);
        recent = null;
    }

    /** The life of the mbarrier at an address ends. */
    void invalidate(int address, Invalidation by) {
        barriers.remove(address);
        recent = null;
        invalidations.put(address, by);
    }

    /** What ended the life of the last mbarrier at an address; null for none. */
    Invalidation invalidation(int address) {
        return invalidations.get(address);
    }

    /** What those know who come to one of its named barriers. */
    NamedMeeting named(int barrier) {
        return named.computeIfAbsent(barrier, _ -> new NamedMeeting(clocks));
    }

    Iterable<Barrier> barriers() {
        return barriers.values();
    }

    /** A thread of another block touches its shared memory. */
    void touchedRemotely(ShadowAccess access) {
        remoteAccesses.put(access.thread(), access);
    }

    /** A copy reads its shared memory that an mbarrier of another block counts. */
    void copiedRemotely(ShadowAccess access) {
        remoteCopies.put(access.completion(), access);
    }

    /** What other blocks do with its shared memory that must be over before it ends. */
    List<ShadowAccess> remote() {
        List<ShadowAccess> all = new ArrayList<>(remoteAccesses.values());
        all.addAll(remoteCopies.values());
        return all;
    }
}
