package dev.tilewright.hazard.async;

import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;

/** The initialisation of an mbarrier, and to whom it is known. */
public final class BarrierInit {
    private final ThreadClock thread;
    private final int time;
    private final int step;
    /** The time of its thread from which on a fence had made it known to the copy engine. */
    private int fencedAt;
    private boolean fenced;
    /**
     * The opening of the cluster's barrier that shows it, where a fence for mbarriers came before a relaxed arrival.
     */
    private long shownByOpening = Long.MAX_VALUE;

    BarrierInit(ThreadClock thread, int step) {
        this.thread = thread;
        this.time = thread.time();
        this.step = step;
    }

    public ThreadClock thread() {
        return thread;
    }

    public int step() {
        return step;
    }

    /** A thread has made what it initialised known to the copy engine. */
    public void fence(ThreadClock by) {
        if (by == thread && !fenced) {
            fenced = true;
            fencedAt = by.time();
        }
    }

    /** A thread arrives at the cluster's barrier without releasing anything else. @param opening that it arrives for */
    public void arriveRelaxed(ThreadClock by, long opening) {
        if (by == thread && fenced) {
            shownByOpening = Math.min(shownByOpening, opening);
        }
    }

    /** Whether a thread that uses the mbarrier now sees it initialised. */
    public boolean isKnownTo(ThreadClock user) {
        return user.isAfter(thread, time) || user.passedCluster() >= shownByOpening;
    }

    /** Whether the copy engine sees it initialised, for which a thread starts a copy now. */
    public boolean isKnownToEngineOf(ThreadClock user) {
        return user.knows(thread, Clock.forShared(thread.rank())) >= time
                || fenced && (user.isAfter(thread, fencedAt) || user.passedCluster() >= shownByOpening);
    }
}
