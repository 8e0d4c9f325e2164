package dev.tilewright.hazard.order;

import java.util.Arrays;

/** Adds up what threads know, as at a barrier that they arrive at. */
public final class ClockAccumulator {
    private final int slots;
    /** By lane, then by slot; null where all are 0. */
    private int[][] lanes = new int[2][];
    private OtherClusters others = OtherClusters.NONE;
    /** The last clock that was added: threads that met before have the same. */
    private Clock last = Clock.ZERO;

    /** @param slots how many slots there will be, or more later */
    ClockAccumulator(int slots) {
        this.slots = slots;
    }

    /** Adds all that a thread knows, itself included. */
    public void add(ThreadClock thread) {
        thread.addTo(this);
    }

    /** Adds that what a thread knows, itself included, has happened, without the order of memory accesses. */
    public void addInTime(ThreadClock thread) {
        thread.addInTimeTo(this);
    }

    void add(Clock clock) {
        if (clock != last) {
            last = clock;
            int[][] of = clock.lanes();
            for (int lane = 0; lane < of.length; lane++) {
                if (of[lane] != null) {
                    Entries.raise(entries(lane, of[lane].length), of[lane]);
                }
            }
            others = others.join(clock.others());
        }
    }

    /** @param fenced entries of lanes after the first two, by lane; null for none */
    void put(int slot, int time, int[] fenced) {
        raise(Clock.ORDERED, slot, time);
        raise(Clock.IN_TIME, slot, time);
        for (int lane = Clock.FOR_GLOBAL; fenced != null && lane < fenced.length; lane++) {
            if (fenced[lane] > 0) {
                raise(lane, slot, fenced[lane]);
            }
        }
    }

    void putInTime(int slot, int time) {
        raise(Clock.IN_TIME, slot, time);
    }

    private void raise(int lane, int slot, int value) {
        int[] entries = entries(lane, slot + 1);
        entries[slot] = Math.max(entries[slot], value);
    }

    /** Adds that n phases of an mbarrier are complete. */
    public void addPhases(int slot, int n) {
        put(slot, n, null);
    }

    /** How far the threads that were added know a thread to have come, in time. */
    public int get(int slot) {
        int[] entries = lanes[Clock.IN_TIME];
        return entries != null && slot < entries.length ? entries[slot] : 0;
    }

    /** The sum. */
    public Clock clock() {
        int[][] result = new int[lanes.length][];
        for (int lane = 0; lane < lanes.length; lane++) {
            if (lanes[lane] != null) {
                boolean same = lane > 0 && Arrays.equals(lanes[lane], lanes[lane - 1]);
                result[lane] = same ? result[lane - 1] : lanes[lane].clone();
            }
        }
        return new Clock(result, others);
    }

    private int[] entries(int lane, int length) {
        if (lanes.length <= lane) {
            lanes = Arrays.copyOf(lanes, lane + 1);
        }
        if (lanes[lane] == null) {
            lanes[lane] = new int[Math.max(slots, length)];
        } else if (lanes[lane].length < length) {
            lanes[lane] = Arrays.copyOf(lanes[lane], length);
        }
        return lanes[lane];
    }
}
