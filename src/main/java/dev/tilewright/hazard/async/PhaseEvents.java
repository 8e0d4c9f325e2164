package dev.tilewright.hazard.async;

import dev.tilewright.hazard.order.ThreadClock;
import java.util.ArrayList;
import java.util.List;

/** What is done for one phase of an mbarrier, as far as its completion depends on it. */
public final class PhaseEvents {
    /** Bytes that came at once. @param time the thread's own */
    private record Came(ThreadClock thread, int time, long bytes) { }

    /** An arrival. @param time the thread's own */
    public record Arrival(ThreadClock thread, int time, int step) { }

    private final List<Arrival> arrivals = new ArrayList<>(1);
    private final List<Announcement> announcements = new ArrayList<>(0);
    private final List<Came> came = new ArrayList<>(0);
    private long announced;
    /** Whether all that it waits for comes at once, not some time after a step. */
    private boolean atOnce = true;

    void arrives(ThreadClock thread, int step) {
        arrivals.add(new Arrival(thread, thread.time(), step));
        holdAnnouncements(thread);
    }

    /** A thread's arrival will follow its copies. */
    void arrivesLater(ThreadClock thread) {
        atOnce = false;
        holdAnnouncements(thread);
    }

    private void holdAnnouncements(ThreadClock thread) {
        for (Announcement a : announcements) {
            a.arrives(thread);
        }
    }

    /** @param bytes 0 for an arrival that is added */
    void announces(ThreadClock thread, int step, long phase, long bytes) {
        atOnce &= bytes > 0;
        announced += bytes;
        long before = came.stream().filter(c -> thread.hasHappened(c.thread, c.time)).mapToLong(Came::bytes).sum();
        announcements.add(new Announcement(thread, step, phase, bytes, before));
    }

    /** Bytes are announced with an arrival. */
    void announces(long bytes) {
        announced += bytes;
    }

    /** Bytes come at once. */
    void comes(ThreadClock thread, long bytes) {
        precede(thread, bytes);
        came.add(new Came(thread, thread.time(), bytes));
    }

    /** A copy starts. */
    void starts(ThreadClock thread, long bytes) {
        atOnce = false;
        precede(thread, bytes);
    }

    private void precede(ThreadClock thread, long bytes) {
        for (Announcement a : announcements) {
            a.starts(thread, bytes);
        }
    }

    /** What was announced, and may come too late in another order of events. */
    List<Announcement> notHeld() {
        return announcements.isEmpty() ? List.of() : announcements.stream().filter(a -> !a.isHeld(announced)).toList();
    }

    /** Whether a thread knows of everything that it waited for, and so that it is complete. */
    boolean isCountedBy(ThreadClock thread) {
        if (!atOnce) {
            return false;
        }
        for (Announcement a : announcements) {
            if (!a.isKnownTo(thread)) {
                return false;
            }
        }
        for (Came c : came) {
            if (!thread.hasHappened(c.thread, c.time)) {
                return false;
            }
        }
        for (Arrival a : arrivals) {
            if (!thread.hasHappened(a.thread, a.time)) {
                return false;
            }
        }
        return true;
    }

    /** The second arrival of a thread that arrived more than once; null for none. */
    Arrival repeated() {
        for (int i = 1; i < arrivals.size(); i++) {
            for (int k = 0; k < i; k++) {
                if (arrivals.get(k).thread == arrivals.get(i).thread) {
                    return arrivals.get(i);
                }
            }
        }
        return null;
    }
}
