package dev.tilewright.hazard;

/** How the end of an asynchronous copy, or of a part of what it does, becomes known. */
final class CopyCompletion {
    /** In place of a time: nobody has waited for it yet. */
    static final int NEVER = Integer.MAX_VALUE;

    /** By what it is waited for. */
    enum By { CP_ASYNC, BULK_READ, BULK_WRITE, BARRIER }

    final By by;
    final ThreadClock actor;
    final int step;
    /** When it was started, by the order of all that happened. */
    final long tick;
    /** The time of its own thread from which on it knew; {@link #NEVER} before. */
    int at = NEVER;
    /** The barrier whose phase says it; null for none. */
    Barrier barrier;
    long phase;
    /** Whether a finding says already what is wrong with it. */
    boolean blamed;

    CopyCompletion(By by, ThreadClock actor, int step, long tick) {
        this.by = by;
        this.actor = actor;
        this.step = step;
        this.tick = tick;
    }

    CopyCompletion(ThreadClock actor, int step, long tick, Barrier barrier, long phase) {
        this(By.BARRIER, actor, step, tick);
        this.barrier = barrier;
        this.phase = phase;
    }
}
