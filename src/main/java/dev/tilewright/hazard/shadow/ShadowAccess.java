package dev.tilewright.hazard.shadow;

import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.ReleasedValues;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.ptx.Scope;

/** That a step of a thread touches bytes. */
public final class ShadowAccess {
    /** What it does to them. */
    public static final int READ = 0;
    public static final int WRITE = 1;
    public static final int UPDATE = 2;
    /** Added to those: by the copy engine, in the asynchronous proxy. */
    public static final int ASYNC = 4;
    /**
     * Added to those: made to meet accesses of other threads: an update, a wait, a load whose value decides what is
     * done, a store that releases or comes after a fence.
     */
    public static final int MEETING = 8;

    /** Added to a read by the copy engine: of the tensor map that a copy goes through. */
    public static final int MAP = 16;

    /** Added to an update: the value that it reads decides what its thread does. */
    public static final int DECIDING = 32;

    /** Added to a read or update: it is repeated until its value is what is waited for. */
    public static final int WAITING = 64;

    /** Added to a meeting read: it may meet stores of its own block as well, and not only those of others. */
    public static final int OPEN = 128;

    /** For accesses without a scope, and for those of many values at once. */
    public static final long ANY_WORD = 0;

    private static final int WHAT = 3;

    final ThreadClock thread;
    final int time;
    final int step;
    final int kind;
    final Scope scope;
    final long word;
    final CopyCompletion completion;
    private ShadowAccess replaced;

    /**
     * An access by a thread, now.
     *
     * @param kind what it does to the bytes, with what is added to that
     * @param scope null for an access without one, which the memory model calls weak
     * @param completion how its end becomes known; null where it is done at once
     */
    public ShadowAccess(ThreadClock thread, int step, int kind, Scope scope, CopyCompletion completion) {
        this(thread, step, kind, scope, ANY_WORD, completion);
    }

    /**
     * An access by a thread, now. @param word see {@link ReleasedValues#word}; {@link #ANY_WORD} for many values at
     * once
     */
    public ShadowAccess(ThreadClock thread, int step, int kind, Scope scope, long word, CopyCompletion completion) {
        this.thread = thread;
        this.time = thread.time();
        this.step = step;
        this.kind = kind;
        this.scope = scope;
        this.word = word;
        this.completion = completion;
    }

    /** Whether an access of the same thread now, with these properties, would be the same. */
    public boolean isSame(int otherStep, int otherKind, long otherWord, CopyCompletion otherCompletion) {
        return step == otherStep && kind == otherKind && word == otherWord && time == thread.time()
                && completion == otherCompletion;
    }

    public ThreadClock thread() {
        return thread;
    }

    /** The thread's own time. */
    public int time() {
        return time;
    }

    public int step() {
        return step;
    }

    /** How many bytes the value has that it is of. */
    public long valueBytes() {
        return ReleasedValues.bytes(word);
    }

    /** Null for a weak access. */
    public Scope scope() {
        return scope;
    }

    /** How its end becomes known; null where it is done at once. */
    public CopyCompletion completion() {
        return completion;
    }

    /** Whether it is the copy engine's, in the asynchronous proxy. */
    public boolean isAsync() {
        return (kind & ASYNC) != 0;
    }

    /** Whether it is the read of the tensor map that a copy goes through. */
    public boolean isOfMap() {
        return (kind & MAP) != 0;
    }

    boolean isDeciding() {
        return (kind & DECIDING) != 0;
    }

    boolean isOpen() {
        return (kind & OPEN) != 0;
    }

    /** Whether it is a read, or an update, that is repeated until its value is what is waited for. */
    public boolean isWaiting() {
        return (kind & WAITING) != 0;
    }

    /** Whether it is made to meet accesses of other threads. */
    public boolean isMeeting() {
        return (kind & MEETING) != 0;
    }

    public boolean reads() {
        return reads(kind);
    }

    public boolean writes() {
        return writes(kind);
    }

    public static boolean reads(int kind) {
        return (kind & WHAT) != WRITE;
    }

    public static boolean writes(int kind) {
        return (kind & WHAT) != READ;
    }

    /**
     * The last write before this one, where this is a copy's: what a read that comes too late may have been meant for.
     */
    public ShadowAccess replaced() {
        return replaced;
    }

    /** Takes note of the last write before this one, of the first bytes that have one. */
    void replace(ShadowAccess write) {
        if (completion != null && replaced == null && write != null && write != this) {
            replaced = write;
            write.replaced = null;
        }
    }
}
