package dev.tilewright.hazard.order;

import java.util.Arrays;

/** Up to which time fences have made a thread's own steps known, by lane of a {@link Clock}. */
final class FencedTimes {
    /** Null for none. */
    private int[] times;

    /** The time in a lane; 0 for none. */
    int in(int lane) {
        return times == null || lane >= times.length ? 0 : times[lane];
    }

    /** What fences have made known for scopes of a level; 0 for nothing. */
    int released(int level) {
        return in(Clock.RELEASED + level);
    }

    /** A fence makes known all before a time, in a lane. */
    void put(int lane, int time) {
        if (times == null || times.length <= lane) {
            times = times == null ? new int[lane + 1] : Arrays.copyOf(times, lane + 1);
        }
        times[lane] = time;
    }

    /** A release fence for scopes up to a level: what is ordered for the asynchronous proxy by then is released too. */
    void release(int level, int time) {
        for (int i = 0; i <= level; i++) {
            put(Clock.RELEASED + i, time);
        }
        int[] before = times;
        times = Arrays.copyOf(before, Clock.lanesToRelease(before.length, level));
        for (int lane = Clock.FOR_GLOBAL; lane < before.length; lane++) {
            for (int i = 0; i <= level && Clock.isForProxy(lane); i++) {
                times[Clock.released(lane, i)] = before[lane];
            }
        }
    }

    /** The times by lane, to be read before the next fence; null for none. */
    int[] byLane() {
        return times;
    }

    /** The times by lane as they are now; null for none. */
    int[] snapshot() {
        return times == null ? null : times.clone();
    }

    FencedTimes copy() {
        FencedTimes copy = new FencedTimes();
        copy.times = snapshot();
        return copy;
    }
}
