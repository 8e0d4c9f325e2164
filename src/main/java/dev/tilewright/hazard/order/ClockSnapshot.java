package dev.tilewright.hazard.order;

/** What a thread knew at some time, for those who acquire it. */
public record ClockSnapshot(ThreadClock actor, Clock base, int own, int forShared, int forGlobal) {

    public Clock clock() {
        return base.with(actor.slot, own, forShared, forGlobal);
    }
}
