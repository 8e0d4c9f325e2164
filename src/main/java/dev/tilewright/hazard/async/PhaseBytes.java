package dev.tilewright.hazard.async;

import dev.tilewright.hazard.order.ThreadClock;

/** The bytes of an mbarrier's present phase: those announced, and those of copies under way. */
public final class PhaseBytes {
    private long announced;
    private long started;
    private int announceStep;
    private ThreadClock announcer;
    private CopyCompletion lastCounted;

    void announce(ThreadClock thread, int step, long bytes) {
        announced += bytes;
        announceStep = step;
        announcer = thread;
    }

    void count(CopyCompletion copy, long bytes) {
        started += bytes;
        lastCounted = copy;
    }

    /** The next phase begins. */
    void clear() {
        announced = 0;
        started = 0;
        announceStep = 0;
    }

    public long announced() {
        return announced;
    }

    /** Bytes of copies that have started, and bytes that instructions have counted. */
    public long started() {
        return started;
    }

    /** The step that announced bytes last; 0 where none has in this phase. */
    public int announceStep() {
        return announceStep;
    }

    /** The thread that announced bytes last, in whatever phase; null for none. */
    public ThreadClock announcer() {
        return announcer;
    }

    /** The last copy, or instruction, that bytes were counted for, in whatever phase; null for none. */
    public CopyCompletion lastCounted() {
        return lastCounted;
    }

    /** The step at fault if more bytes come than are announced. */
    public int stepThatAnnouncesTooLittle() {
        return announceStep == 0 ? lastCounted.step() : announceStep;
    }
}
