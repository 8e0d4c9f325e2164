package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Announcement;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.hazard.report.PhaseFindings;

/**
 * Whether what is done with an mbarrier counts in the same phase in every order of events: who arrives, announces bytes
 * or brings some for phase n must be sure that n phases are complete, and what is announced without an arrival must
 * come before something that phase n cannot complete without.
 */
record PhaseCheck(Findings all, PhaseFindings findings) {
    /** A thread is about to arrive in the present phase. */
    void arrives(ThreadClock thread, int step, Barrier b) {
        if (mayBeEarlier(thread, b)) {
            if (b.lastArrival(thread) == b.phase() - 1) {
                findings.arrivesTooEarly(thread, step, b);
            } else {
                b.repeatedArrival().ifPresentOrElse(
                        twice -> findings.arrivesTwice(twice.thread(), twice.step(), b, thread, step),
                        () -> findings.phaseIsFull(thread, step, b));
            }
        }
    }

    /** A thread is about to announce bytes without arriving. */
    void announces(ThreadClock thread, int step, Barrier b) {
        if (isUnsure(thread, b)) {
            if (b.lastArrival(thread) == b.phase() - 1) {
                findings.announcedAfterArrival(thread, step, b);
            } else {
                findings.announcedTooEarly(thread, step, b);
            }
        }
    }

    /** A thread is about to start a copy, or to count bytes. */
    void counts(ThreadClock thread, int step, Barrier b) {
        if (mayBeEarlier(thread, b)) {
            findings.countedTooEarly(thread, step, b);
        }
    }

    /**
     * Whether a thread is not sure of phases that are complete. Where a mistake is known already, that may be its
     * consequence.
     */
    private boolean mayBeEarlier(ThreadClock thread, Barrier b) {
        return all.isEmpty() && isUnsure(thread, b);
    }

    /** Whether a mistake at a step cannot come from one that is known already: none is, or one at the same step. */
    boolean isNoConsequence(int step) {
        return all.isEmpty() || all.hasAbout(step);
    }

    private static boolean isUnsure(ThreadClock thread, Barrier b) {
        if (b.phase() == 0 || b.sure(thread) >= b.phase()) {
            return false;
        }
        b.blame();
        return true;
    }

    /** A phase may have completed. */
    void completes(Barrier b) {
        for (Announcement a : b.takeNotHeld()) {
            b.blame();
            if (a.bytes() > 0) {
                findings.announcedNotHeld(a, b);
            } else {
                findings.addedNotHeld(a, b);
            }
        }
    }
}
