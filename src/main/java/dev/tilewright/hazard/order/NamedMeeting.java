package dev.tilewright.hazard.order;

import java.util.ArrayList;
import java.util.List;

/**
 * What is known at a named barrier of a block: those who wait learn, when it opens, what all knew who came since it
 * opened last. Who only arrives learns nothing. Source: PTX ISA, "barrier{.cta}".
 */
public final class NamedMeeting {
    private final ClusterClocks clocks;
    private ClockAccumulator sum;
    /** Who has come since it opened last, a thread as often as it came. */
    private final List<ThreadClock> came = new ArrayList<>();
    /** For whom it opened last, and when. */
    private final List<Passed> passed = new ArrayList<>();

    private record Passed(ThreadClock thread, int time) { }

    public NamedMeeting(ClusterClocks clocks) {
        this.clocks = clocks;
    }

    /** Threads come. @param waits whether they wait; else they go on at once */
    public void arrive(List<ThreadClock> threads, boolean waits) {
        if (sum == null) {
            sum = clocks.accumulator();
        }
        came.addAll(threads);
        for (ThreadClock thread : threads) {
            sum.add(thread);
            if (!waits) {
                thread.tell();
            }
        }
    }

    /** It opens for these. */
    public void open(List<ThreadClock> waiting) {
        Clock all = sum.clock();
        sum = null;
        came.clear();
        passed.clear();
        for (ThreadClock thread : waiting) {
            thread.meet(all);
            passed.add(new Passed(thread, thread.time()));
        }
    }

    /**
     * Whether one of these threads knows that it has opened, so that they come for the next time: one for whom it did,
     * or who was told by one of them. True where it has not opened for anyone.
     */
    public boolean isKnownToHaveOpened(List<ThreadClock> threads) {
        return passed.isEmpty() || threads.stream().anyMatch(t -> passed.stream()
                .anyMatch(p -> t.hasHappened(p.thread, p.time)));
    }

    /** The threads that have come since it opened last. */
    public List<ThreadClock> came() {
        return List.copyOf(came);
    }
}
