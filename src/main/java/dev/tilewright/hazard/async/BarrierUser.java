package dev.tilewright.hazard.async;

import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;

/** What one thread has done with an mbarrier: the last of it, and its last arrival. */
public final class BarrierUser {
    private final ThreadClock thread;
    private int time;
    private int step;
    private String what = "";
    private long phase;
    private long arrivedIn = -1;

    BarrierUser(ThreadClock thread) {
        this.thread = thread;
    }

    void uses(int atStep, String does, long inPhase) {
        time = thread.time();
        step = atStep;
        what = does;
        phase = inPhase;
    }

    void arrives(long inPhase) {
        arrivedIn = inPhase;
    }

    public ThreadClock thread() {
        return thread;
    }

    /** The step of its last use. */
    public int step() {
        return step;
    }

    /** What its last use was, as in "arrives". */
    public String what() {
        return what;
    }

    /** The phase of its last arrival; -1 for none. */
    long arrivedIn() {
        return arrivedIn;
    }

    /** Whether its last use is over for those who know this. @param clock of the thread's cluster */
    public boolean isKnownIn(Clock clock, Barrier barrier) {
        return clock.get(thread.slot(), Clock.ORDERED) >= time || clock.get(barrier.slot(), Clock.ORDERED) > phase;
    }

    /** Whether its last use comes before what a thread does now. */
    public boolean isOverFor(ThreadClock other) {
        return other.isAfter(thread, time);
    }
}
