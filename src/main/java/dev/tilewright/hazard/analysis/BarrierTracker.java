package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Scope;

/** What is done with mbarriers. */
public abstract class BarrierTracker extends RunState {

    public BarrierTracker(Findings findings) {
        super(findings);
    }

    @Override
    public void barrierInit(int block, int thread, int step, int owner, int address, String name, long arrivals) {
        ThreadClock a = actor(block, thread);
        Barrier b = new Barrier(a, step, owner, address, name, arrivals);
        a.cluster.block(owner).put(address, b);
        a.tell();
    }

    @Override
    public void barrierInvalidated(int block, int thread, int step, int owner, int address) {
        ThreadClock a = actor(block, thread);
        a.cluster.block(owner).remove(address);
    }

    @Override
    public void barrierMissing(int block, int thread, int step, int owner, int address, String name) {
        ThreadClock a = actor(block, thread);
        findings.add(HazardCode.BARRIER_NOT_INITIALISED, step, block, findings.shared(owner, address, 8), findings.access(step,
                a, "uses"), null,
                "thread " + thread + " uses barrier " + name + (owner == block ? "" : " of block " + owner)
                        + ", which is not initialised",
                "nothing makes sure that it is", "initialise it before, and let the threads meet in between", null);
        faulted = true;
    }

    /** The barrier that a thread uses, after what has happened to it since; whether the thread may use it is looked at. */
    public final Barrier use(ThreadClock a, int step, int owner, int address, long phase, boolean byCopyEngine) {
        Barrier b = a.cluster.block(owner).barrier(address);
        if (b == null) {
            return null;
        }
        b.advance(phase);
        if (b.hasMissed()) {
            windowsMissed(b);
        }
        boolean shown = b.by == a || a.knows(a.cluster, b.by.slot, Clock.ORDERED) >= b.stamp || a.clusterPassed >= b.shownBy;
        boolean fenced = !byCopyEngine || a.knows(a.cluster, b.by.slot, Clock.FOR_SHARED) >= b.stamp
                || b.fencedAt != CopyCompletion.NEVER && (b.by == a || a.knows(a.cluster, b.by.slot, Clock.ORDERED) >= b.fencedAt
                || a.clusterPassed >= b.shownBy);
        if (!(shown && fenced) && !findings.has(HazardCode.BARRIER_INIT_NOT_VISIBLE, step, b.step)) {
            findings.add(HazardCode.BARRIER_INIT_NOT_VISIBLE, step, a.block, findings.shared(owner, address, 8),
                    findings.access(step, a, "uses"),
                    findings.access(b.step, b.by, "initialises"), "thread " + a.thread + (shown ? " lets the copy engine use"
                            : " uses")
                    + " barrier " + b.name + ", which thread " + b.by.thread + " of block " + b.by.block
                            + " initialises in step " + b.step,
                    shown ? "nothing makes the initialisation known to the copy engine" : "nothing orders the two threads",
                    shown ? "put fence.mbarrier_init behind the initialisation" : "let the threads meet in between", null);
        }
        return b;
    }

    private void windowsMissed(Barrier b) {
        for (Barrier.Window w : b.takeMissed()) {
            if (!findings.has(HazardCode.WRONG_PARITY, w.step(), 0)) {
                findings.add(HazardCode.WRONG_PARITY, w.step(), w.actor().block, findings.shared(b.owner, b.address, 8),
                        findings.access(w.step(), w.actor(), "waits"), null, findings.access(w.step(), w.actor(), "waits")
                                + " for barrier "
                        + b.name + ", whose phase " + w.phase() + " may be complete by then",
                                "the wait then is for one phase more, or for ever",
                        "let no phase complete before all have passed their wait for the one before, or wait for the other parity", null);
            }
        }
    }

    @Override
    public void arrives(int block, int thread, int step, int owner, int address, long phase, Effects.Order order, long count,
            boolean drops) {
        ThreadClock a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b != null) {
            boolean reaches = owner == block || order != null && order.scope() != Scope.CTA;
            boolean releases = reaches && (order == null || order.semantics() != Semantics.RELAXED);
            b.arrive(a, step, count, drops, reaches && a.fenced != null ? a.fenced.clock() : null, releases);
            requireRoom(a, step, b);
        }
    }

    /** Arrivals that follow copies are under way: with them, a phase may have more arrivals than it takes. */
    public final void requireRoom(ThreadClock a, int step, Barrier b) {
        if (b.pendingArrivals() < 0 && !findings.has(HazardCode.WRONG_ARRIVAL_COUNT, b.step, step)) {
            findings.add(HazardCode.WRONG_ARRIVAL_COUNT, b.step, b.owner, null, null, findings.access(step, a, "arrives"),
                    findings.access(step, a, "arrives") + " at barrier " + b.name + ", whose phase " + b.phase + " takes "
                    + b.expectedArrivals() + " arrivals and has got all of them, those that follow copies under way included",
                    "it completes without one of them", "initialise it for as many arrivals as a phase gets", null);
        }
    }

    @Override
    public void expects(int block, int thread, int step, int owner, int address, long phase, long count, boolean alone) {
        ThreadClock a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b == null) {
            return;
        }
        b.comes(a);
        b.expectedBytes += count;
        b.expectStep = step;
        b.expectedBy = a;
        if (!alone) {
            return;
        }
        if (b.shortPhase == phase - 1 && b.shortPhase >= 0) {
            findings.add(HazardCode.TX_LATE, step, block, null, findings.access(step, a, "announces bytes"),
                    findings.access(b.shortCopy.step, b.shortCopy.actor, "copies"), "bytes are announced for phase " + phase
                            + " of barrier " + b.name
                    + ", when phase " + b.shortPhase + ", in which their copy started, is complete", "",
                    "announce them before the arrival, or with it", null);
            b.shortPhase = -1;
        } else if (b.lastArrival(a) == phase - 1 && phase > 0) {
            b.latePhase = phase;
            b.lateStep = step;
            b.lateBy = a;
        }
    }

    @Override
    public void completesTx(int block, int thread, int step, int owner, int address, long phase, long count) {
        ThreadClock a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b != null) {
            b.comes(a);
            b.startedBytes += count;
            b.lastCounted = new CopyCompletion(a, step, tick, b, phase);
        }
    }

    @Override
    public void parityPassed(int block, int thread, int step, int owner, int address, long phase, long parity,
            Effects.Order order) {
        ThreadClock a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b == null) {
            return;
        }
        a.blockedAt = null;
        // Whatever the phase is by now: the wait promises no more than that the next one unknown has completed, and that only
        // if it has this parity.
        int known = a.knows(a.cluster, b.slot, Clock.ORDERED);
        if (a.seenStrongly != null) {
            known = Math.max(known, a.seenStrongly.get(b.slot, Clock.ORDERED));
        }
        boolean vain = (known & 1) != parity;
        a.lastWait = new ThreadClock.Waited(b, step, vain, tick);
        if (vain) {
            b.vain = a.lastWait;
            b.passed(a, known, step);
            return;
        }
        b.passed(a, known + 1L, step);
        b.overran |= phase > known + 1;
        passed(a, b, known, order, step);
    }

    @Override
    public void tokenPassed(int block, int thread, int step, int owner, int address, long phase, long tokenPhase,
            Effects.Order order) {
        ThreadClock a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        if (b != null) {
            a.blockedAt = null;
            a.lastWait = new ThreadClock.Waited(b, step, false, tick);
            b.passed(a, tokenPhase + 1, step);
            passed(a, b, tokenPhase, order, step);
        }
    }

    private void passed(ThreadClock a, Barrier b, long phase, Effects.Order order, int step) {
        Clock clock = b.clock(phase, order != null && order.scope() != Scope.CTA);
        if (order != null && order.semantics() == Semantics.RELAXED) {
            flags.seen(a, clock, step);
        } else {
            a.learn(clock);
        }
    }

    @Override
    public void blocked(int block, int thread, int step, int owner, int address, long phase, long parity) {
        ThreadClock a = actor(block, thread);
        Barrier b = use(a, step, owner, address, phase, false);
        a.blockedAt = b;
        a.blockedStep = step;
        a.blockedParity = parity;
    }
}
