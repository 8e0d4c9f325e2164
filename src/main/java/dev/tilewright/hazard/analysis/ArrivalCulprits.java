package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.flow.ThreadValues;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.report.RaceVerdict;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Effects.Semantics;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks for what is wrong with arrivals that hand bytes over: too early, twice, for others, beside copies, or without a
 * release. Each finder returns null where it finds nothing.
 */
final class ArrivalCulprits {

    private final Clues clues;
    private final RunState run;
    private final ProgramFlow flow;
    private final BarrierSteps steps;
    private final RaceFindings races;

    ArrivalCulprits(Clues clues, RaceFindings races) {
        this.clues = clues;
        this.run = clues.run();
        this.flow = clues.flow();
        this.steps = clues.steps();
        this.races = races;
    }

    /**
     * What is wrong if some have arrived twice in one phase of the mbarrier that the copier has waited for, as their
     * own wait for a copy passed for a phase before: others have not arrived in that phase.
     */
    RaceVerdict ofSecondArrival(Race race, Barrier counting) {
        CheckedThread copier = run.thread(race.now().thread());
        PassedWait wait = copier.lastWait;
        if (wait == null || wait.vain()) {
            return null;
        }
        Barrier empty = wait.barrier();
        for (Map.Entry<ThreadClock, Use> use : copier.cluster.log.of(empty.owner(), empty.address()).entrySet()) {
            ThreadClock reader = use.getKey();
            if (use.getValue().inLastPhase > Math.max(1, use.getValue().mostInPhase)) {
                for (Barrier each : copier.cluster.block(reader.block()).barriers()) {
                    PassedWait vain = each.notes().vainWait();
                    Use passes = copier.cluster.log.of(reader, each.owner(), each.address());
                    if (vain != null && passes != null && passes.passStep == vain.step()
                            && steps.at(each.address()).region().equals(steps.at(counting.address()).region())) {
                        return races.handOvers().readersArriveTwice(race, empty, vain, reader.block());
                    }
                }
            }
        }
        return null;
    }

    /**
     * What is wrong if a thread's arrival at an mbarrier is to tell of its cp.async copies and does not follow them,
     * and the reader waits for that mbarrier.
     */
    RaceVerdict ofPlainArrival(Race race) {
        CopyCompletion copy = race.before().completion();
        ThreadValues copier = run.values(run.thread(copy.thread()));
        CheckedThread reader = run.thread(race.now().thread());
        List<Integer> arrivals = clues.arrivalsAround(copier, copy.step());
        if (arrivals.stream().anyMatch(s -> s > copy.step() && clues.followsCopies(s))) {
            return null;
        }
        for (int arrival : arrivals) {
            Optional<SharedRegion> array = steps.region(arrival);
            boolean waited = array.isPresent() && steps.waitingNear(array.get()).stream()
                    .anyMatch(s -> s < race.now().step() && flow.mayPerform(run.values(reader), s));
            boolean covered =
                    flow.isAnyBetween(copy.step(), arrival, s -> Clues.isWait(flow.operation(s), copy.kind()));
            if (waited && !covered && arrival > copy.step()) {
                return races.handOvers().arrivesBesideCopies(race, arrival,
                        flow.lastBefore(arrival, ArrivalCulprits::storesShared) != 0);
            } else if (waited && clues.followsCopies(arrival) && arrival < copy.step()) {
                return races.handOvers().arrivesBeforeCopies(race, arrival, flow.placeBetween(copy.step(), arrival));
            }
        }
        return null;
    }

    /** Whether threads write shared memory themselves in a step. */
    static boolean storesShared(Operation operation) {
        return operation instanceof Operation.Storing s && s.to() instanceof Address.Shared;
    }

    /**
     * What is wrong if another thread arrives for the one that touched the bytes, where the later one waits, and the
     * two have not met before that.
     */
    RaceVerdict ofArrivalForOthers(Race race) {
        CheckedThread waiter = run.thread(race.now().thread());
        CheckedThread other = run.thread(race.before().thread());
        PassedWait wait = waiter.lastWait;
        if (wait == null || wait.vain() || waiter.cluster != other.cluster || other == waiter) {
            return null;
        }
        Barrier b = wait.barrier();
        Map<ThreadClock, Use> uses = other.cluster.log.of(b.owner(), b.address());
        Use own = uses.get(other.clock);
        if (own != null && own.arrivals > 0) {
            return null;
        }
        for (Map.Entry<ThreadClock, Use> use : uses.entrySet()) {
            int arrival = use.getValue().arrivals > 0 ? use.getValue().arriveStep : 0;
            if (arrival > race.before().step() && use.getKey() != waiter.clock && isOfWarp(use.getKey(), other.clock)
                    && flow.loopAround(arrival) == flow.loopAround(race.before().step())
                    && flow.mayPerform(run.values(run.thread(use.getKey())), race.before().step())) {
                return races.handOvers().arrivesForOthers(race, arrival, use.getKey(), b,
                        flow.placeBetween(arrival, race.before().step()));
            }
        }
        return null;
    }

    private static boolean isOfWarp(ThreadClock a, ThreadClock b) {
        return a.block() == b.block() && a.thread() / Warp.LANES == b.thread() / Warp.LANES;
    }

    /**
     * What is wrong if the thread has waited for an mbarrier, and an arrival there would have told it what it needs to
     * know, had it released that.
     */
    RaceVerdict ofWeakArrival(Race race) {
        PassedWait wait = run.thread(race.now().thread()).lastWait;
        CopyCompletion copy = race.before().completion();
        if (wait == null) {
            return null;
        }
        Barrier b = wait.barrier();
        CheckedCluster cluster = run.thread(race.now().thread()).cluster;
        for (Map.Entry<ThreadClock, Use> use : cluster.log.of(b.owner(), b.address()).entrySet()) {
            Use arrival = use.getValue();
            ThreadClock by = use.getKey();
            boolean tells = copy == null ? by == race.before().thread() && race.before().time() < arrival.arriveTime
                    : copy.isKnownTo(by, Clock.ORDERED);
            if (tells && arrival.arrivals > 0 && arrival.arriveOrder != null
                    && arrival.arriveOrder.semantics() == Semantics.RELAXED
                    && arrival.lastPhase < race.now().thread().hasSeenPhases(b.slot())) {
                return races.handOvers().arrivedWithoutRelease(race, arrival.arriveStep, by);
            }
        }
        return null;
    }

    /**
     * What is wrong if a thread arrives where the other one waits, and touches the bytes, or waits for its copy, then.
     */
    RaceVerdict ofEarlyArrival(Race race) {
        CheckedThread waiter = run.thread(race.now().thread());
        CheckedThread other = run.thread(race.before().thread());
        PassedWait wait = waiter.lastWait;
        if (wait == null || wait.vain() || waiter.cluster != other.cluster) {
            return null;
        }
        Barrier b = wait.barrier();
        Use use = other.cluster.log.of(other.clock, b.owner(), b.address());
        boolean early = use != null && use.arrivals > 0 && use.passes == 0
                && use.lastPhase < waiter.clock.hasSeenPhases(b.slot()) && race.before().time() >= use.arriveTime
                && flow.loopAround(use.arriveStep) == flow.loopAround(race.before().step())
                && isInLoopOf(wait.step(), race.now().step());
        int stage = early ? clues.stage(race.bytes(), b) : -1;
        GroupWait done = race.before().completion() == null ? null : race.before().completion().groups().lastWait();
        if (early && use.arriveStep < race.before().step()) {
            return races.handOvers().arrivesBeforeTouching(race, use.arriveStep, b, done);
        }
        return done != null || stage < 0 ? null : stage != clues.number(b)
                ? races.handOvers().touchesAnotherStage(race, wait.step(), b)
                : races.handOvers().touchesWhatItHandedOver(race, use.arriveStep, b);
    }

    /** Whether a step is in the loop that another one is in, or in one within that. */
    boolean isInLoopOf(int other, int step) {
        int loop = flow.loopAround(other);
        for (int at = step; at != 0; at = flow.around(at)) {
            if (flow.loopAround(at) == loop) {
                return true;
            }
        }
        return loop == 0;
    }

    /** Whether more threads have arrived at an mbarrier than a phase takes. */
    static boolean moreArriveThanExpected(CheckedCluster cluster, Barrier b) {
        return cluster.log.of(b.owner(), b.address()).values().stream().filter(use -> use.arrivals > 0)
                .mapToLong(use -> Math.max(1, use.mostInPhase)).sum() > b.expectedArrivals();
    }
}
