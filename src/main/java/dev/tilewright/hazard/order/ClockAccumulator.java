package dev.tilewright.hazard.order;

import java.util.Arrays;
import java.util.Map;

/** Adds up what threads know, as at a barrier that they arrive at. */
public final class ClockAccumulator {
    private int[] entries;
    private Map<ClusterClocks, Clock> others = Map.of();
    /** The last clock that was added: threads that met before have the same. */
    private Clock last = Clock.ZERO;

    /** @param slots how many slots there will be, or more later */
    ClockAccumulator(int slots) {
        entries = new int[Clock.LANES * slots];
    }

    /** Adds all that a thread knows, itself included. */
    public void add(ThreadClock thread) {
        thread.addTo(this);
    }

    void add(Clock clock) {
        if (clock != last) {
            last = clock;
            grow(clock.entries().length);
            Clock.raise(entries, clock.entries());
            others = Clock.join(others, clock.others());
        }
    }

    void put(int slot, int time, int timeForShared, int timeForGlobal) {
        grow(Clock.LANES * (slot + 1));
        Clock.put(entries, slot, time, timeForShared, timeForGlobal);
    }

    /** Adds that n phases of an mbarrier are complete. */
    public void addPhases(int slot, int n) {
        put(slot, n, 0, 0);
    }

    /** How far the threads that were added know a thread to have come. */
    public int get(int slot) {
        int i = Clock.LANES * slot;
        return i < entries.length ? entries[i] : 0;
    }

    /** The sum. */
    public Clock clock() {
        return new Clock(entries.clone(), others);
    }

    private void grow(int length) {
        if (entries.length < length) {
            entries = Arrays.copyOf(entries, length);
        }
    }
}
