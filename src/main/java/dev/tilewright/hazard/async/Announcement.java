package dev.tilewright.hazard.async;

import dev.tilewright.hazard.order.ThreadClock;

/**
 * Something that makes a phase of an mbarrier wait for more than its arrivals, done without an arrival: announced
 * bytes, or an arrival that follows copies and is added to those expected. It has to come before the phase completes,
 * so something without which the phase cannot complete must come after it.
 */
public final class Announcement {
    private final ThreadClock thread;
    private final int time;
    private final int step;
    private final long phase;
    private final long bytes;
    private boolean held;
    private final long bytesBefore;
    private long bytesAfter;

    /**
     * @param bytes that are announced; 0 where it is an arrival
     * @param bytesBefore that have come before
     */
    Announcement(ThreadClock thread, int step, long phase, long bytes, long bytesBefore) {
        this.thread = thread;
        this.time = thread.time();
        this.step = step;
        this.phase = phase;
        this.bytes = bytes;
        this.bytesBefore = bytesBefore;
    }

    /** A thread arrives in the phase. */
    void arrives(ThreadClock by) {
        held |= by.hasHappened(thread, time);
    }

    /** A copy starts whose bytes the phase counts. */
    void starts(ThreadClock by, long count) {
        if (by.hasHappened(thread, time)) {
            bytesAfter += count;
        }
    }

    /**
     * Whether the phase cannot complete before it: an arrival comes after it, or more bytes have come before it than
     * all others announce, or comes so late that the others have not all announced before.
     *
     * @param announced in the phase, with its own
     */
    boolean isHeld(long announced) {
        return held || bytes > 0 && (bytesBefore > announced - bytes || bytesAfter > bytes);
    }

    boolean isKnownTo(ThreadClock other) {
        return other.hasHappened(thread, time);
    }

    public ThreadClock thread() {
        return thread;
    }

    public int step() {
        return step;
    }

    public long phase() {
        return phase;
    }

    /** Bytes that are announced; 0 where it is an arrival. */
    public long bytes() {
        return bytes;
    }
}
