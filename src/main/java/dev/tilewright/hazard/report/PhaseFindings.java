package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.Announcement;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.ThreadClock;

/** What is said of arrivals and bytes that need not count in the phase of an mbarrier that they are for. */
public record PhaseFindings(ProgramNames names) {
    /** A thread arrives that has arrived in the phase before. */
    public Draft arrivesTooEarly(ThreadClock thread, int step, Barrier barrier) {
        return notKnown(HazardCode.PHASE_NOT_KNOWN, thread, step, "arrives", barrier,
                ", in which it has arrived already,",
                "wait for that phase first, or for something that comes after it, or arrive once");
    }

    /** Threads come to a named barrier that may not have opened yet for those who came before. */
    public Draft comesTooEarly(ThreadClock thread, int step, int barrier) {
        Access comes = names.access(step, thread, "comes");
        return new Draft(HazardCode.NAMED_BARRIER_MISMATCH, comes)
                .says(comes + " to named barrier " + barrier + ", and nothing makes sure that the barrier has opened by"
                        + " then for the threads that came before")
                .wants("it may count among those, so that the barrier opens without another thread, which then waits"
                        + " for ever")
                .fixedBy("wait there first, or for something that a thread does after it has passed, or come once");
    }

    /** A thread announces bytes without arriving. */
    public Draft announcedTooEarly(ThreadClock thread, int step, Barrier barrier) {
        return notKnown(HazardCode.TX_LATE, thread, step, "announces bytes", barrier, "",
                "announce them before an arrival that the same thread orders, or wait for that phase first");
    }

    /** A thread starts a copy, or counts bytes. */
    public Draft countedTooEarly(ThreadClock thread, int step, Barrier barrier) {
        return notKnown(HazardCode.PHASE_NOT_KNOWN, thread, step, "brings bytes", barrier, "",
                "wait for that phase first, or for something that comes after it");
    }

    private Draft notKnown(HazardCode code, ThreadClock thread, int step, String what, Barrier barrier, String more,
            String fix) {
        Access does = names.access(step, thread, what);
        return new Draft(code, does).on(names.place(barrier))
                .says(does + " for phase " + barrier.phase() + " of barrier " + barrier.name()
                        + ", and nothing makes sure that phase " + (barrier.phase() - 1) + more
                                + " is complete by then")
                .wants("it may count in that one").fixedBy(fix);
    }

    /** A thread arrives for which there was no room, because another one has arrived twice. */
    public Draft arrivesTwice(ThreadClock twice, int twiceStep, Barrier barrier, ThreadClock thread, int step) {
        Access repeats = names.access(twiceStep, twice, "arrives");
        Access arrives = names.access(step, thread, "arrives");
        return new Draft(HazardCode.WRONG_ARRIVAL_COUNT, repeats)
                .on(names.place(barrier)).against(arrives)
                .says(repeats + " a second time in phase " + (barrier.phase() - 1) + " of barrier " + barrier.name()
                        + ", which takes " + BarrierFindings.arrivals(barrier) + ", so that the phase completes before "
                        + arrives)
                .wants("a thread that arrives for a phase must know that the one before is complete")
                .fixedBy("arrive once, or wait for the phase in between");
    }

    /** A thread arrives for which there was no room. */
    public Draft phaseIsFull(ThreadClock thread, int step, Barrier barrier) {
        Access arrives = names.access(step, thread, "arrives");
        return new Draft(HazardCode.WRONG_ARRIVAL_COUNT, names.location(barrier.init().step()), barrier.owner())
                .on(names.place(barrier)).against(arrives)
                .says(names.at(barrier.init().step(), barrier.owner()) + "a phase of barrier " + barrier.name()
                        + " takes " + BarrierFindings.arrivals(barrier) + ", and phase " + (barrier.phase() - 1)
                        + " is complete before " + arrives)
                .wants("nothing makes sure that it is, so that the arrival may count in it")
                .fixedBy("initialise it with as many arrivals as a phase gets, or wait for that phase before the "
                + "arrival");
    }

    /** A thread announces bytes when it has arrived in the phase before. */
    public Draft announcedAfterArrival(ThreadClock thread, int step, Barrier barrier) {
        Access announces = names.access(step, thread, "announces bytes");
        return late(announces, barrier).says(announces + " on barrier " + barrier.name()
                + " after its arrival in phase " + (barrier.phase() - 1) + ", which may be complete by then, or not");
    }

    /** Bytes are announced for a phase that may complete before. */
    public Draft announcedNotHeld(Announcement a, Barrier barrier) {
        Access announces = names.access(a.step(), a.thread(), "announces bytes");
        return late(announces, barrier).says(announces + " for phase " + a.phase() + " of barrier " + barrier.name()
                + ", and no arrival of that phase comes after it").wants("the phase may be complete by then");
    }

    private Draft late(Access announces, Barrier barrier) {
        return new Draft(HazardCode.TX_LATE, announces).on(names.place(barrier))
                .fixedBy("announce them before an arrival of the same thread, or with it");
    }

    /** An arrival that follows copies is added to a phase that may complete before. */
    public Draft addedNotHeld(Announcement a, Barrier barrier) {
        Access adds = names.access(a.step(), a.thread(), "adds an arrival");
        return new Draft(HazardCode.PHASE_NOT_KNOWN, adds).on(names.place(barrier))
                .says(adds + " to phase " + a.phase() + " of barrier " + barrier.name()
                        + ", and no other arrival of that phase comes after it")
                .wants("the phase may be complete by then")
                .fixedBy("let the thread arrive afterwards, or count the arrival at the initialisation and use "
                + ".noinc");
    }
}
