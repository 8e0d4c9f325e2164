package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierWait;
import dev.tilewright.hazard.async.WaitWindows.Window;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.program.Operation;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierArrival;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks for the step that is at fault where a phase of an mbarrier is missed, or gets arrivals that it has no room for.
 */
final class PhaseCulprits {
    private final Clues clues;
    private final RunState run;
    private final ProgramFlow flow;
    private final BarrierSteps steps;
    private final BarrierFindings barriers;

    PhaseCulprits(Clues clues, BarrierFindings barriers) {
        this.clues = clues;
        this.run = clues.run();
        this.flow = clues.flow();
        this.steps = clues.steps();
        this.barriers = barriers;
    }

    /** Says so, if a thread that waits for ever waits for another stage than it goes on with. */
    boolean ofWaitForAnotherStage(CheckedThread thread) {
        int wait = thread.blocked.step();
        int next = clues.nextArrival(thread, wait);
        boolean another = next != 0 && steps.nameDifferentNumbers(wait, next)
                && flow.isAnyBetween(wait, next, s -> steps.goesBy(s, next))
                && !flow.isAnyBetween(wait, next, s -> steps.goesBy(s, wait));
        if (another) {
            barriers.staysAtAnotherStage(thread.clock, wait, thread.blocked.barrier(), next);
        }
        return another;
    }

    /** Says so, if the wait is for another stage, or arrivals of another stage complete the phase. */
    boolean ofMissedPhase(Window wait, Barrier b) {
        CheckedThread waiter = run.thread(wait.thread());
        int next = nextArrivalOfAny(wait.step());
        if (next != 0 && steps.nameDifferentNumbers(wait.step(), next)) {
            barriers.waitsForAnotherStage(wait, b, next);
            return true;
        }
        Mixed mixed = mixedStages(waiter.cluster, b);
        if (mixed == null) {
            return false;
        }
        if (mixed.isWait) {
            barriers.otherWaitsForAnotherStage(wait, b, mixed.by, mixed.waitStep, mixed.arrival);
        } else {
            barriers.arrivesForAnotherStage(wait, b, mixed.by, mixed.arrival);
        }
        return true;
    }

    /** The first step after a wait by which any thread that comes there may arrive: one may arrive for others. */
    private int nextArrivalOfAny(int wait) {
        return flow.steps(o -> o instanceof Operation.Instruction i && i.form() instanceof MbarrierArrival).stream()
                .filter(s -> s > wait && flow.shareLoop(wait, s) && !flow.areAlternatives(wait, s)).findFirst()
                .orElse(0);
    }

    /**
     * A thread waits for the mbarrier of one stage and arrives at that of another.
     *
     * @param isWait whether what it touches between the two is of the stage that it arrives for
     */
    private record Mixed(ThreadClock by, int waitStep, int arrival, boolean isWait) {
    }

    /** One that arrives at an mbarrier; null for none. */
    private Mixed mixedStages(CheckedCluster cluster, Barrier b) {
        for (Map.Entry<ThreadClock, Use> use : cluster.log.of(b.owner(), b.address()).entrySet()) {
            int arrival = use.getValue().arrivals > 0 ? use.getValue().arriveStep : 0;
            int before = arrival == 0 ? 0 : waitBefore(arrival);
            if (before != 0 && steps.nameDifferentNumbers(before, arrival)) {
                boolean ofArrival = flow.isAnyBetween(before, arrival, s -> steps.goesBy(s, arrival));
                boolean ofWait = flow.isAnyBetween(before, arrival, s -> steps.goesBy(s, before));
                return new Mixed(use.getKey(), before, arrival, ofArrival && !ofWait);
            }
        }
        return null;
    }

    /** Says so, if a thread arrives again because another one hands back another stage than it has waited for. */
    private boolean ofMixedStages(CheckedThread thread, int step, Barrier b, Barrier waited) {
        Mixed mixed = mixedStages(thread.cluster, waited);
        if (mixed != null) {
            barriers.arrivesAfterMixedStages(thread.clock, step, b, waited, mixed.by,
                    mixed.isWait ? mixed.waitStep : mixed.arrival, mixed.isWait ? mixed.arrival : mixed.waitStep);
        }
        return mixed != null;
    }

    /** The last wait for an mbarrier before a step of the same loop; 0 for none. */
    private int waitBefore(int step) {
        return flow.steps(o -> o instanceof Operation.Instruction i
                && i.form() instanceof MbarrierWait).stream()
                .filter(s -> s < step && flow.shareLoop(s, step)).reduce((_, last) -> last).orElse(0);
    }

    /** Says so, if a thread arrives again in a phase because nothing, or a wait that passed at once, holds it back. */
    boolean ofRepeatedArrival(CheckedThread thread, int step, Barrier b) {
        Use use = thread.cluster.log.of(thread.clock, b.owner(), b.address());
        if (use == null || !use.isDoneIn(b.phase())) {
            return false;
        }
        BarrierWait wait = thread.lastWait;
        boolean waited = wait != null && wait.event() > use.arriveEvent && wait.barrier() != b;
        if (waited && step < wait.step() && flow.shareLoop(step, wait.step()) && !clues.isSameRegion(wait.barrier(), b)
                && !steps.nameDifferentNumbers(step, wait.step())) {
            barriers.arrivesBeforeItsWait(thread.clock, step, b, wait);
        } else if (waited && ofMixedStages(thread, step, b, wait.barrier())) {
            return true;
        } else if (waited && wait.vain()) {
            barriers.arrivesAfterVainWait(thread.clock, step, b, wait);
        } else if (barriers.noneYet() && wait != null && !wait.vain() && wait.event() > use.arriveEvent
                && endsWithoutAll(wait.barrier(), b)) {
            barriers.waitedForTooFew(thread.clock, step, b, wait, arriving(wait.barrier()));
        } else {
            barriers.arrivesAgain(thread.clock, step, b, use.arriveStep);
        }
        return true;
    }

    /**
     * Whether the phases of an mbarrier take fewer arrivals than there are threads that arrive there, and it has the
     * number in its array that another one has, whose phase is not complete.
     */
    private boolean endsWithoutAll(Barrier handedBack, Barrier other) {
        BarrierSteps.At at = steps.at(handedBack.address());
        BarrierSteps.At otherAt = steps.at(other.address());
        return at != null && otherAt != null && handedBack.owner() == other.owner()
                && !at.region().equals(otherAt.region()) && otherAt.equals(at.sameOf(otherAt.region()))
                && arriving(handedBack) > handedBack.expectedArrivals();
    }

    /** How many threads surely perform a step that may arrive at an mbarrier. */
    private long arriving(Barrier b) {
        List<Integer> arriving = steps.arriving(steps.at(b.address()));
        return run.cluster(b.owner()).threads().stream().filter(t -> arriving.stream().anyMatch(
                s -> (t.block() == b.owner() || steps.mayReachOthers(s)) && flow.surelyPerforms(run.values(t), s)))
                .count();
    }

    /** A fence for initialised mbarriers that makes no mbarrier known of the thread that initialised it. */
    Optional<Misplaced> initFence(Barrier b) {
        for (CheckedThread thread : run.cluster(b.owner()).threads()) {
            for (Deed fence : thread.deeds()) {
                if (flow.operation(fence.step()) instanceof Operation.Instruction i
                        && i.form() instanceof FenceMbarrierInit) {
                    return Optional.of(new Misplaced(fence.step(), thread.clock, thread.clock == b.init().thread()));
                }
            }
        }
        return Optional.empty();
    }

    /** A step that is there in the wrong place. @param sameThread whether it is the right thread's */
    record Misplaced(int step, ThreadClock thread, boolean sameThread) {
    }

    /** The step that initialises another mbarrier of the region in which one is not initialised; 0 for none. */
    int initialisesNeighbour(int owner, int address) {
        BarrierSteps.At at = steps.at(address);
        for (Barrier other : run.cluster(owner).block(owner).barriers()) {
            BarrierSteps.At its = steps.at(other.address());
            if (at != null && its != null && its.region().equals(at.region())) {
                return other.init().step();
            }
        }
        return 0;
    }
}
