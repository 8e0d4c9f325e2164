package dev.tilewright.hazard;

/** What a thread knew at some time, for those who acquire it. */
record ClockSnapshot(ThreadClock actor, Clock base, int own, int forShared, int forGlobal) {

    Clock clock() {
        return base.with(actor.slot, own, forShared, forGlobal);
    }
}
