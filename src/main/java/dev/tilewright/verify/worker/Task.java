package dev.tilewright.verify.worker;

import dev.tilewright.verify.CaseSet;

/** A case that a worker has been told, and how far it is. */
final class Task {
    private static final long NOT_YET = Long.MIN_VALUE;

    private final CaseSet.Numbered numbered;
    private long begun = NOT_YET;
    private long onDevice = NOT_YET;

    Task(CaseSet.Numbered numbered) {
        this.numbered = numbered;
    }

    CaseSet.Numbered numbered() {
        return numbered;
    }

    void begin() {
        begun = System.nanoTime();
    }

    void takeDevice() {
        onDevice = System.nanoTime();
    }

    boolean hasBegun() {
        return begun != NOT_YET;
    }

    boolean hasDevice() {
        return onDevice != NOT_YET;
    }

    /** Since it began; 0 if it has not. */
    double seconds() {
        return hasBegun() ? (System.nanoTime() - begun) / 1e9 : 0;
    }

    /** Whether it has taken longer than it may. */
    boolean isOverdue(Limits limits) {
        long now = System.nanoTime();
        return hasDevice() && now - onDevice > limits.device().toNanos()
                || hasBegun() && now - begun > limits.whole().toNanos();
    }
}
