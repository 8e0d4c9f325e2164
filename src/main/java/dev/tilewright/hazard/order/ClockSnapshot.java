package dev.tilewright.hazard.order;

/** What a thread knew at some time, for threads that acquire it. */
record ClockSnapshot(ThreadClock thread, Clock known, int time, int timeForShared, int timeForGlobal) {

    Clock clock() {
        return known.with(thread.slot(), time, timeForShared, timeForGlobal);
    }
}
