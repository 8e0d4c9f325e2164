package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.CheckedBlock.Invalidation;
import dev.tilewright.hazard.analysis.CheckedThread.Blocked;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierNotes.LateAnnouncement;
import dev.tilewright.hazard.async.BarrierUser;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.async.WaitWindows.Window;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.ptx.Effects.Order;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Scope;

/** What is done with mbarriers. */
record BarrierTracker(RunState run, PhaseCheck phases, FindingSet findings, BarrierFindings words, StepFacts facts,
        PhaseCulprits culprits) {
    // ---- from initialisation on

    void initialised(CheckedThread thread, int step, int owner, int address, String name, long arrivals) {
        Invalidation ended = thread.cluster.block(owner).invalidation(address);
        if (ended != null && !thread.clock.isAfter(ended.thread(), ended.time())) {
            findings.add(words.invalidatedBefore(ended.thread(), ended.step(), ended.barrier(), thread.clock, step,
                    true));
        }
        thread.cluster.block(owner).put(new Barrier(thread.clock, step, owner, address, name, arrivals));
        thread.clock.tell();
    }

    /** The life of an mbarrier ends: all who used it must be done with it. */
    void invalidated(CheckedThread thread, int step, int owner, int address) {
        CheckedBlock block = thread.cluster.block(owner);
        Barrier b = block.barrier(address);
        if (b != null) {
            if (!b.init().isKnownTo(thread.clock)) {
                initNotVisible(thread, step, b);
            }
            for (BarrierUser user : b.users()) {
                if (!user.isOverFor(thread.clock)) {
                    findings.add(words.invalidatedInUse(thread.clock, step, b, user));
                    break;
                }
            }
            CopyCompletion copy = b.lastCopy();
            if (copy != null && !copy.isKnownTo(thread.clock, Clock.ORDERED)) {
                findings.add(words.invalidatedUnderCopy(thread.clock, step, b, copy));
            }
            settles(b);
        }
        block.invalidate(address, new Invalidation(b, thread.clock, thread.clock.time(), step));
        thread.clock.tell();
    }

    /** No more is done with an mbarrier: what its last phase shows is looked at. */
    void settles(Barrier b) {
        b.settle();
        sayCompletions(b);
    }

    /** An mbarrier is about to be used that is not initialised. */
    void notInitialised(CheckedThread thread, int step, int owner, int address, String name) {
        Invalidation ended = thread.cluster.block(owner).invalidation(address);
        if (ended == null || thread.clock.isAfter(ended.thread(), ended.time())) {
            int neighbour = culprits.initialisesNeighbour(owner, address);
            findings.add(words.notInitialised(thread.clock, step, owner, address, name, neighbour));
        } else {
            findings.add(words.invalidatedBefore(ended.thread(), ended.step(), ended.barrier(), thread.clock, step,
                    false));
        }
        run.stop();
    }

    /**
     * The mbarrier that a thread uses, after what has happened to it since; whether the thread may use it is looked at.
     *
     * @param phase the number of its phases that are complete
     * @return null if none was initialised there
     */
    private Barrier use(CheckedThread thread, int step, int owner, int address, long phase) {
        Barrier b = present(thread, owner, address, phase);
        if (b != null && !b.init().isKnownTo(thread.clock)) {
            initNotVisible(thread, step, b);
        }
        return b;
    }

    private void initNotVisible(CheckedThread thread, int step, Barrier b) {
        int place = culprits.placeAfterInit(b, step);
        int meeting = place == 0 ? 0 : culprits.meetingOfSome(thread, b);
        boolean inCluster = run.cluster(b.owner()).threads().stream().anyMatch(t -> t.block() != b.owner());
        int early = inCluster && place != 0 ? culprits.earlyMeeting(b, step) : 0;
        findings.add(early != 0 ? words.initAfterTheArrival(thread.clock, step, b, place, early)
                : inCluster ? words.initNotVisibleInCluster(thread.clock, step, b, place,
                culprits.halfMeeting(b, step))
                : meeting == 0 ? words.initNotVisible(thread.clock, step, b, place)
                : words.initBeforeMeetingOfSome(thread.clock, step, b, place, meeting));
    }

    /** The mbarrier that a thread uses itself, not by a copy that it starts. @param what as in "arrives" */
    private Barrier tell(CheckedThread thread, int step, int owner, int address, long phase, String what) {
        Barrier b = use(thread, step, owner, address, phase);
        if (b != null) {
            b.used(thread.clock, step, what);
        }
        return b;
    }

    /** The mbarrier on which a copy's bytes are counted, by the copy engine or by the thread's own proxy. */
    Barrier useForBytes(CheckedThread thread, int step, int owner, int address, long phase) {
        Barrier b = use(thread, step, owner, address, phase);
        if (b != null && facts.countsByEngine(step) && b.init().isKnownTo(thread.clock)
                && !b.init().isKnownToEngineOf(thread.clock)) {
            if (!findings.add(culprits.ofInitFence(thread, step, b))) {
                findings.add(words.initNotVisibleToEngine(thread.clock, step, b));
            }
        }
        if (b != null) {
            phases.counts(thread.clock, step, b);
        }
        return b;
    }

    private Barrier present(CheckedThread thread, int owner, int address, long phase) {
        Barrier b = thread.cluster.block(owner).barrier(address);
        if (b != null) {
            b.advance(phase);
            sayCompletions(b);
        }
        return b;
    }

    private void sayCompletions(Barrier b) {
        phases.completes(b);
        for (Window w : b.windows().takeMissed()) {
            if (!b.notes().isBlamed() && phases.isNoConsequence(w.step())
                    && !findings.add(culprits.ofMissedPhase(w, b))) {
                findings.add(words.mayMissItsPhase(w, b));
            }
        }
    }

    // ---- arrivals

    /** @param order null for the default @param drops whether later phases take as many arrivals less */
    void arrives(CheckedThread thread, int step, int owner, int address, long phase, Order order, long count,
            boolean drops) {
        Barrier b = tell(thread, step, owner, address, phase, "arrives");
        if (b != null) {
            phases.arrives(thread.clock, step, b);
            boolean reaches = owner == thread.block() || order != null && order.scope() != Scope.CTA;
            boolean releases = reaches && (order == null || order.semantics() != Semantics.RELAXED);
            b.arrive(thread.clock, step, count, drops, reaches, releases);
            requireRoom(thread, step, b);
        }
    }

    /** An arrival will follow a thread's copies. @return the mbarrier; null if there is none */
    Barrier arrivesAfterCopies(CheckedThread thread, int step, int owner, int address, long phase, boolean added) {
        Barrier b = tell(thread, step, owner, address, phase, "arrives");
        if (b != null) {
            phases.arrives(thread.clock, step, b);
            b.arriveAfterCopies(thread.clock, step, added);
            requireRoom(thread, step, b);
        }
        return b;
    }

    /** Arrivals that follow copies are under way: with them, a phase may have more arrivals than it takes. */
    private void requireRoom(CheckedThread thread, int step, Barrier b) {
        if (b.pendingArrivals() < 0 && !findings.add(culprits.ofRepeatedArrival(thread, step, b))) {
            findings.add(words.arrivesTooOften(thread.clock, step, b));
        }
    }

    // ---- bytes

    /** Bytes are announced. @param alone whether no arrival belongs to it */
    void announces(CheckedThread thread, int step, int owner, int address, long phase, long bytes, boolean alone) {
        Barrier b = tell(thread, step, owner, address, phase, "announces bytes");
        if (b == null) {
            return;
        }
        boolean late = alone && b.notes().shortPhase() != null && b.notes().shortPhase().phase() == phase - 1;
        if (alone && !late) {
            phases.announces(thread.clock, step, b);
        }
        b.announce(thread.clock, step, bytes, alone);
        if (!alone) {
            return;
        }
        if (late) {
            findings.add(words.announcedTooLate(thread.clock, step, b, phase));
            b.notes().forgetShortPhase();
        } else if (phase > 0 && b.lastArrival(thread.clock) == phase - 1 && !hasWaited(thread, b, phase - 1)) {
            // A thread that has waited for the phase in which it arrived means the next one.
            b.notes().announcedLate(new LateAnnouncement(phase, step));
        }
    }

    private static boolean hasWaited(CheckedThread thread, Barrier b, long phase) {
        BarrierLog.Use use = thread.cluster.log.of(thread.clock, b.owner(), b.address());
        return use != null && use.passPhase >= phase;
    }

    /** An instruction counts bytes. */
    void counts(CheckedThread thread, int step, int owner, int address, long phase, long bytes) {
        Barrier b = tell(thread, step, owner, address, phase, "counts bytes");
        if (b != null) {
            phases.counts(thread.clock, step, b);
            b.count(thread.clock, CopyCompletion.onBarrier(thread.clock, step, run.event(), b, phase), bytes);
        }
    }

    // ---- waits

    /** A wait for a parity has passed. @param order null for the default */
    void parityPassed(CheckedThread thread, int step, int owner, int address, long phase, long parity, Order order) {
        Barrier b = tell(thread, step, owner, address, phase, "waits");
        if (b == null || !facts.decides(step)) {
            return;
        }
        // Whatever the phase is by now: the wait promises no more than that the next one unknown has completed, and
        // that only if it has this parity.
        long known = b.sure(thread.clock);
        boolean vain = (known & 1) != parity;
        PassedWait wait = new PassedWait(b, step, parity, vain, run.event());
        thread.blocked = null;
        thread.lastWait = wait;
        if (vain) {
            b.notes().passedInVain(wait);
            b.passed(thread.clock, known, step);
            if (known > 0) {
                learn(thread.clock, b, known - 1, order, step);
            }
            return;
        }
        b.passed(thread.clock, known + 1, step);
        if (phase > known + 1) {
            b.notes().overrun();
        }
        learn(thread.clock, b, known, order, step);
    }

    /** A wait for the phase of a token has passed. */
    void tokenPassed(CheckedThread thread, int step, int owner, int address, long phase, long tokenPhase, Order order) {
        Barrier b = tell(thread, step, owner, address, phase, "waits");
        if (b != null && facts.decides(step)) {
            thread.blocked = null;
            thread.lastWait = new PassedWait(b, step, -1, false, run.event());
            b.passed(thread.clock, tokenPhase + 1, step);
            learn(thread.clock, b, tokenPhase, order, step);
        }
    }

    private static void learn(ThreadClock thread, Barrier b, long phase, Order order, int step) {
        b.teach(thread, phase, order == null || order.semantics() != Semantics.RELAXED,
                order != null && order.scope() != Scope.CTA, step);
    }

    /** A thread waits and does not pass. @param parity -1 where it waits with a token */
    void blocks(CheckedThread thread, int step, int owner, int address, long phase, long parity) {
        Barrier b = tell(thread, step, owner, address, phase, "waits");
        thread.blocked = b == null ? null : new Blocked(b, step, parity);
    }
}
