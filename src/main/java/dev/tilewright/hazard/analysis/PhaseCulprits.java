package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.async.WaitWindows.Window;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.Draft;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.program.Operation;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierArrival;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Looks for the step that is at fault where a phase of an mbarrier is missed, or gets arrivals that it has no room for.
 * Each finder returns null where it finds nothing.
 */
record PhaseCulprits(Clues clues, FindingSet findings, BarrierFindings words) {
    /** The step after whose end all may meet that have an mbarrier's initialisation before them, and a use after. */
    int placeAfterInit(Barrier b, int use) {
        return clues.flow().placeBetween(b.init().step(), use);
    }

    /** A {@code __syncthreads()} after an mbarrier's initialisation to which not all threads come; 0 for none. */
    int meetingOfSome(CheckedThread user, Barrier b) {
        List<CheckedThread> block = user.cluster.threads().stream().filter(t -> t.block() == b.owner()).toList();
        return clues.flow().steps(Clues::isSync).stream().filter(s -> s > b.init().step() && block.stream()
                .anyMatch(t -> !clues.flow().mayPerform(clues.run().values(t), s))).findFirst().orElse(0);
    }

    /** An arrival at the cluster's barrier between an mbarrier's initialisation and a use, and no wait; 0 for none. */
    int halfMeeting(Barrier b, int use) {
        return isWaitBetween(b, use) ? 0 : clusterArrivals(use).filter(s -> s > b.init().step()).findFirst().orElse(0);
    }

    /**
     * The only arrival at the cluster's barrier, where that comes before an mbarrier's initialisation, and a wait for
     * it follows that before a use; 0 for none.
     */
    int earlyMeeting(Barrier b, int use) {
        List<Integer> arrivals = clusterArrivals(use).toList();
        return isWaitBetween(b, use) && arrivals.size() == 1 && arrivals.getFirst() < b.init().step()
                ? arrivals.getFirst() : 0;
    }

    private Stream<Integer> clusterArrivals(int before) {
        return clues.flow().steps(o -> o instanceof Operation.Instruction i
                && i.form() instanceof BarrierClusterArrive).stream().filter(s -> s < before);
    }

    /** Whether a wait for the cluster's barrier stands between an mbarrier's initialisation and a use. */
    private boolean isWaitBetween(Barrier b, int use) {
        return clues.flow().isBetween(b.init().step(), use, o -> o instanceof Operation.Instruction i
                && i.form() instanceof BarrierClusterWait);
    }

    /** What is wrong if a thread that waits for ever waits for another stage than it goes on with. */
    Draft ofWaitForAnotherStage(CheckedThread thread) {
        int wait = thread.blocked.step();
        int next = clues.nextArrival(thread, wait);
        return next != 0 && clues.steps().nameDifferentNumbers(wait, next)
                && clues.flow().isAnyBetween(wait, next, s -> clues.steps().goesBy(s, next))
                && !clues.flow().isAnyBetween(wait, next, s -> clues.steps().goesBy(s, wait))
                ? words.staysAtAnotherStage(thread.clock, wait, thread.blocked.barrier(), next) : null;
    }

    /** What is wrong if the wait is for another stage, or arrivals of another stage complete the phase. */
    Draft ofMissedPhase(Window wait, Barrier b) {
        int next = nextArrivalOfAny(wait.step());
        if (next != 0 && clues.steps().nameDifferentNumbers(wait.step(), next)) {
            return words.waitsForAnotherStage(wait, b, next);
        }
        Mixed mixed = mixedStages(clues.run().thread(wait.thread()).cluster, b);
        return mixed == null ? null
                : mixed.isWait ? words.otherWaitsForAnotherStage(wait, b, mixed.by, mixed.waitStep, mixed.arrival)
                : words.arrivesForAnotherStage(wait, b, mixed.by, mixed.arrival);
    }

    /** The first step after a wait by which any thread that comes there may arrive: one may arrive for others. */
    private int nextArrivalOfAny(int wait) {
        ProgramFlow flow = clues.flow();
        return flow.steps(o -> o instanceof Operation.Instruction i && i.form() instanceof MbarrierArrival).stream()
                .filter(s -> s > wait && flow.shareLoop(wait, s) && !flow.areAlternatives(wait, s)).findFirst()
                .orElse(0);
    }

    /**
     * A thread waits for the mbarrier of one stage and arrives at that of another.
     *
     * @param isWait whether what it touches between the two is of the stage that it arrives for
     */
    private record Mixed(ThreadClock by, int waitStep, int arrival, boolean isWait) { }

    /** One that arrives at an mbarrier; null for none. */
    private Mixed mixedStages(CheckedCluster cluster, Barrier b) {
        for (Map.Entry<ThreadClock, Use> use : cluster.log.of(b.owner(), b.address()).entrySet()) {
            int arrival = use.getValue().arrivals > 0 ? use.getValue().arriveStep : 0;
            int before = arrival == 0 ? 0 : waitBefore(arrival);
            if (before != 0 && clues.steps().nameDifferentNumbers(before, arrival)) {
                boolean ofArrival = clues.flow().isAnyBetween(before, arrival, s -> clues.steps().goesBy(s, arrival));
                boolean ofWait = clues.flow().isAnyBetween(before, arrival, s -> clues.steps().goesBy(s, before));
                return new Mixed(use.getKey(), before, arrival, ofArrival && !ofWait);
            }
        }
        return null;
    }

    /** The last wait for an mbarrier before a step of the same loop; 0 for none. */
    private int waitBefore(int step) {
        return clues.flow().steps(o -> o instanceof Operation.Instruction i
                && i.form() instanceof MbarrierWait).stream()
                .filter(s -> s < step && clues.flow().shareLoop(s, step)).reduce((_, last) -> last).orElse(0);
    }

    /** What is wrong if a thread arrives again in a phase, as nothing, or a wait that passed at once, holds it back. */
    Draft ofRepeatedArrival(CheckedThread thread, int step, Barrier b) {
        Use use = thread.cluster.log.of(thread.clock, b.owner(), b.address());
        if (use == null || !use.isDoneIn(b.phase())) {
            return isAnnouncedByAnother(thread, step, b) ? words.announcedByMany(thread.clock, step, b) : null;
        }
        PassedWait wait = thread.lastWait;
        boolean waited = wait != null && wait.event() > use.arriveEvent && wait.barrier() != b;
        if (waited && step < wait.step() && clues.flow().shareLoop(step, wait.step())
                && !clues.isSameRegion(wait.barrier(), b) && !clues.steps().nameDifferentNumbers(step, wait.step())) {
            return words.arrivesBeforeItsWait(thread.clock, step, b, wait);
        }
        Mixed mixed = waited ? mixedStages(thread.cluster, wait.barrier()) : null;
        if (mixed != null) {
            // Another thread hands back another stage than it has waited for.
            return words.arrivesAfterMixedStages(thread.clock, step, b, wait.barrier(), mixed.by,
                    mixed.isWait ? mixed.waitStep : mixed.arrival, mixed.isWait ? mixed.arrival : mixed.waitStep);
        }
        return waited && wait.vain() ? words.arrivesAfterVainWait(thread.clock, step, b, wait)
                : findings.isEmpty() && wait != null && !wait.vain() && wait.event() > use.arriveEvent
                && endsWithoutAll(wait.barrier(), b)
                ? words.waitedForTooFew(thread.clock, step, b, wait, arriving(wait.barrier()))
                : words.arrivesAgain(thread.clock, step, b, use.arriveStep);
    }

    /** Whether the only arrival that a phase takes comes with bytes, and from another thread by the same step. */
    private boolean isAnnouncedByAnother(CheckedThread thread, int step, Barrier b) {
        return b.expectedArrivals() == 1 && clues.flow().operation(step) instanceof Operation.Instruction i
                && i.form() instanceof MbarrierArriveExpectTx
                && thread.cluster.log.of(b.owner(), b.address()).entrySet().stream().anyMatch(u ->
                        u.getKey() != thread.clock && u.getValue().arriveStep == step
                        && u.getValue().hasArrivedIn(b.phase()));
    }

    /**
     * Whether the phases of an mbarrier take fewer arrivals than there are threads that arrive there, and it has the
     * number in its array that another one has, whose phase is not complete.
     */
    private boolean endsWithoutAll(Barrier handedBack, Barrier other) {
        BarrierSteps.At at = clues.steps().at(handedBack.address());
        BarrierSteps.At otherAt = clues.steps().at(other.address());
        return at != null && otherAt != null && handedBack.owner() == other.owner()
                && !at.region().equals(otherAt.region()) && otherAt.equals(at.sameOf(otherAt.region()))
                && arriving(handedBack) > handedBack.expectedArrivals();
    }

    /** How many threads surely perform a step that may arrive at an mbarrier. */
    private long arriving(Barrier b) {
        List<Integer> arriving = clues.steps().arriving(clues.steps().at(b.address()));
        return clues.run().cluster(b.owner()).threads().stream().filter(t -> arriving.stream().anyMatch(
                s -> (t.block() == b.owner() || clues.steps().mayReachOthers(s))
                && clues.flow().surelyPerforms(clues.run().values(t), s))).count();
    }

    /** What is wrong if a fence for initialised mbarriers is there that does not make one known to the copy engine. */
    Draft ofInitFence(CheckedThread copier, int step, Barrier b) {
        for (CheckedThread thread : clues.run().cluster(b.owner()).threads()) {
            for (OrderingStep fence : thread.orderingSteps()) {
                if (clues.flow().operation(fence.step()) instanceof Operation.Instruction i
                        && i.form() instanceof FenceMbarrierInit) {
                    return words.initFenceElsewhere(copier.clock, step, b, fence.step(), thread.clock,
                            thread.clock == b.init().thread());
                }
            }
        }
        return null;
    }

    /** The step that initialises another mbarrier of the region in which one is not initialised; 0 for none. */
    int initialisesNeighbour(int owner, int address) {
        BarrierSteps.At at = clues.steps().at(address);
        for (Barrier other : clues.run().cluster(owner).block(owner).barriers()) {
            BarrierSteps.At its = clues.steps().at(other.address());
            if (at != null && its != null && its.region().equals(at.region())) {
                return other.init().step();
            }
        }
        return 0;
    }
}
