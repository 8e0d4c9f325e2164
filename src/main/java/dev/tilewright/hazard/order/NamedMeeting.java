package dev.tilewright.hazard.order;

import java.util.List;

/**
 * What is known at a named barrier of a block: those who wait learn, when it opens, what all knew who came since it opened
 * last. Who only arrives learns nothing. Source: PTX ISA, "barrier{.cta}".
 */
public final class NamedMeeting {
    private final ClusterClocks clocks;
    private ClockAccumulator sum;
    private int came;

    public NamedMeeting(ClusterClocks clocks) {
        this.clocks = clocks;
    }

    /** Threads come. @param waits whether they wait; else they go on at once */
    public void arrive(List<ThreadClock> threads, boolean waits) {
        if (sum == null) {
            sum = clocks.accumulator();
        }
        came += threads.size();
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
        came = 0;
        for (ThreadClock thread : waiting) {
            thread.meet(all);
        }
    }

    /** How many threads have come since it opened last. */
    public int came() {
        return came;
    }
}
