package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Announcement;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.NamedMeeting;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Draft;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.PhaseFindings;
import java.util.List;

/**
 * Whether what is done with an mbarrier counts in the same phase in every order of events: who arrives, announces bytes
 * or brings some for phase n must be sure that n phases are complete, and what is announced without an arrival must
 * come before something that phase n cannot complete without.
 */
final class PhaseCheck {
    private final FindingSet findings;
    private final PhaseFindings words;
    /** Of a named barrier; null for none. */
    private Draft tooEarly;

    PhaseCheck(FindingSet findings, PhaseFindings words) {
        this.findings = findings;
        this.words = words;
    }

    /** A thread is about to arrive in the present phase. */
    void arrives(ThreadClock thread, int step, Barrier b) {
        if (mayBeEarlier(thread, b)) {
            findings.add(b.lastArrival(thread) == b.phase() - 1 ? words.arrivesTooEarly(thread, step, b)
                    : b.repeatedArrival()
                            .map(twice -> words.arrivesTwice(twice.thread(), twice.step(), b, thread, step))
                            .orElseGet(() -> words.phaseIsFull(thread, step, b)));
        }
    }

    /** Threads of a warp are about to come to a named barrier. */
    void comes(List<ThreadClock> threads, int step, NamedMeeting meeting, int barrier) {
        if (tooEarly == null && !meeting.isKnownToHaveOpened(threads)) {
            tooEarly = words.comesTooEarly(threads.getFirst(), step, barrier);
        }
    }

    /** The run is over: what is said only where nothing else shows what is wrong. */
    void ends() {
        if (findings.isEmpty() && tooEarly != null) {
            findings.add(tooEarly);
        }
    }

    /** A thread is about to announce bytes without arriving. */
    void announces(ThreadClock thread, int step, Barrier b) {
        if (isUnsure(thread, b)) {
            findings.add(b.lastArrival(thread) == b.phase() - 1 ? words.announcedAfterArrival(thread, step, b)
                    : words.announcedTooEarly(thread, step, b));
        }
    }

    /** A thread is about to start a copy, or to count bytes. */
    void counts(ThreadClock thread, int step, Barrier b) {
        if (mayBeEarlier(thread, b)) {
            findings.add(words.countedTooEarly(thread, step, b));
        }
    }

    /**
     * Whether a thread is not sure of phases that are complete. Where a mistake is known already, that may be its
     * consequence.
     */
    private boolean mayBeEarlier(ThreadClock thread, Barrier b) {
        return findings.isEmpty() && isUnsure(thread, b);
    }

    /** Whether a mistake at a step cannot come from one that is known already: none is, or one at the same step. */
    boolean isNoConsequence(int step) {
        return findings.isEmpty() || findings.hasAbout(step);
    }

    private static boolean isUnsure(ThreadClock thread, Barrier b) {
        if (b.phase() == 0 || b.sure(thread) >= b.phase()) {
            return false;
        }
        b.notes().blame();
        return true;
    }

    /** A phase may have completed. */
    void completes(Barrier b) {
        for (Announcement a : b.takeNotHeld()) {
            b.notes().blame();
            findings.add(a.bytes() > 0 ? words.announcedNotHeld(a, b) : words.addedNotHeld(a, b));
        }
    }
}
