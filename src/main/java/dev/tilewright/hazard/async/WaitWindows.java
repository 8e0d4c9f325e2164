package dev.tilewright.hazard.async;

import dev.tilewright.hazard.order.ClockAccumulator;
import dev.tilewright.hazard.order.ThreadClock;
import java.util.ArrayList;
import java.util.List;

/**
 * Waits for an mbarrier's parity that had to be over before a certain phase completes, or they would see another
 * parity.
 */
public final class WaitWindows {
    /**
     * A wait that passed.
     *
     * @param time the thread's own
     * @param phase if this one completes before the wait, the wait sees another parity
     */
    public record Window(ThreadClock thread, int time, long phase, int step) { }

    private List<Window> open = new ArrayList<>();
    private List<Window> missed = new ArrayList<>();

    /** @param present the mbarrier's phase */
    void add(Window wait, long present) {
        (wait.phase < present ? missed : open).add(wait);
    }

    /** A phase completes. @param before what those knew without which it could not have */
    void close(long phase, ClockAccumulator before) {
        if (open.isEmpty()) {
            return;
        }
        List<Window> stillOpen = new ArrayList<>();
        for (Window w : open) {
            if (w.phase > phase) {
                stillOpen.add(w);
            } else if (before.get(w.thread.slot()) < w.time) {
                missed.add(w);
            }
        }
        open = stillOpen;
    }

    /** Waits that phases did not wait for; each is given once. */
    public List<Window> takeMissed() {
        if (missed.isEmpty()) {
            return List.of();
        }
        List<Window> result = missed;
        missed = new ArrayList<>();
        return result;
    }
}
