package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.ThreadClock;

/**
 * That a step of a thread touches bytes.
 *
 * @see CopyCompletion
 */
public final class ShadowAccess {
    public static final int READ = 0;
    public static final int WRITE = 1;
    public static final int UPDATE = 2;
    /** Added to the others: made to meet accesses of other threads: an update, a wait, a load that acquires, a store that releases. */
    public static final int MEETING = 8;
    /** Added to the others: by the copy engine, in the asynchronous proxy. */
    public static final int ASYNC = 4;

    /** In place of a scope: an access without one. */
    public static final int WEAK = -1;

    public final ThreadClock actor;
    /** The thread's own time. */
    public final int stamp;
    public final int step;
    public final int kind;
    /** The ordinal of the scope, for accesses with one. */
    public final int scope;
    /** How its end becomes known; null where it is done at once. */
    public final CopyCompletion done;
    /** The last write before this one, where this is a copy's: what a read that comes too late may have been meant for. */
    public ShadowAccess replaced;

    public ShadowAccess(ThreadClock actor, int stamp, int step, int kind, int scope, CopyCompletion done) {
        this.actor = actor;
        this.stamp = stamp;
        this.step = step;
        this.kind = kind;
        this.scope = scope;
        this.done = done;
    }

    public boolean isAsync() {
        return (kind & ASYNC) != 0;
    }

    public boolean isMeeting() {
        return (kind & MEETING) != 0;
    }

    public boolean writes() {
        return (kind & 3) != READ;
    }

    /** In words: {@code reads}. */
    public String verb() {
        String base = switch (kind & 3) {
            case READ -> "reads";
            case WRITE -> "writes";
            default -> "updates";
        };
        return isAsync() ? "lets the copy engine " + base.substring(0, base.length() - 1)
                : done != null ? base + " asynchronously" : base;
    }
}
