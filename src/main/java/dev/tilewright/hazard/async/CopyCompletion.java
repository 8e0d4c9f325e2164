package dev.tilewright.hazard.async;

import dev.tilewright.hazard.order.ThreadClock;

/** How the end of an asynchronous copy, or of a part of what it does, becomes known. */
public final class CopyCompletion {
    /** In place of a time: nobody has waited for it yet. */
    public static final int NEVER = Integer.MAX_VALUE;

    /** By what it is waited for. */
    public enum By { CP_ASYNC, BULK_READ, BULK_WRITE, BARRIER }

    public final By by;
    public final ThreadClock actor;
    public final int step;
    /** When it was started, by the order of all that happened. */
    public final long tick;
    /** The time of its own thread from which on it knew; {@link #NEVER} before. */
    public int at = NEVER;
    /** The barrier whose phase says it; null for none. */
    public Barrier barrier;
    public long phase;
    /** Whether a finding says already what is wrong with it. */
    public boolean blamed;

    public CopyCompletion(By by, ThreadClock actor, int step, long tick) {
        this.by = by;
        this.actor = actor;
        this.step = step;
        this.tick = tick;
    }

    public CopyCompletion(ThreadClock actor, int step, long tick, Barrier barrier, long phase) {
        this(By.BARRIER, actor, step, tick);
        this.barrier = barrier;
        this.phase = phase;
    }
}
