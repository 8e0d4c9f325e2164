package dev.tilewright.hazard.order;

import dev.tilewright.hazard.analysis.CheckedCluster;
import java.util.Arrays;
import java.util.Map;

/** Adds up what threads know that come together, as at a barrier. */
public final class ClockAccumulator {
    private int[] entries;
    private Map<CheckedCluster, Clock> others = Map.of();
    /** The last clock that was added: threads that met before have the same. */
    private Clock last = Clock.ZERO;

    /** @param slots how many entries there will be, or more later */
    public ClockAccumulator(int slots) {
        entries = new int[Clock.LANES * slots];
    }

    /** All that a thread knows, itself included. */
    public void add(ThreadClock actor) {
        add(actor.base);
        grow(Clock.LANES * (actor.slot + 1));
        Clock.put(entries, actor.slot, actor.own, actor.ownForShared, actor.ownForGlobal);
    }

    public void add(Clock clock) {
        if (clock != last) {
            last = clock;
            grow(clock.entries().length);
            Clock.raise(entries, clock.entries());
            others = Clock.join(others, clock.others());
        }
    }

    /** So many phases of a barrier are complete. */
    public void phases(int slot, int count) {
        grow(Clock.LANES * (slot + 1));
        Clock.put(entries, slot, count, 0, 0);
    }

    public int get(int slot) {
        int i = Clock.LANES * slot;
        return i < entries.length ? entries[i] : 0;
    }

    public Clock clock() {
        return new Clock(entries.clone(), others);
    }

    private void grow(int length) {
        if (entries.length < length) {
            entries = Arrays.copyOf(entries, length);
        }
    }
}
