package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierWait;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.HandOvers;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.flow.ThreadValues;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.report.RaceVerdict;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.hazard.shadow.Span;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks for what is wrong where threads hand bytes over by mbarriers: a reader that does not wait, or for another
 * stage, an arrival that comes too early or does not release. Each finder returns null where it finds nothing.
 */
final class HandOverCulprits {
    private static final int BARRIER_BYTES = 8;
    private static final int WARP = 32;

    private final Clues clues;
    private final RunState run;
    private final ProgramFlow flow;
    private final BarrierSteps steps;
    private final HandOvers handOvers;
    private final RaceFindings races;

    HandOverCulprits(Clues clues, RaceFindings races) {
        this.clues = clues;
        this.run = clues.run();
        this.flow = clues.flow();
        this.steps = clues.steps();
        this.handOvers = clues.handOvers();
        this.races = races;
    }

    /**
     * What is wrong if one of two threads reads what the other one hands over by an mbarrier, and has not waited for
     * any of that array: whichever of the two came first, and whatever the other one waits for.
     */
    RaceVerdict ofReadWithoutWait(Race race) {
        Race inOrder = race.before().writes() ? race : race.reversed();
        ShadowAccess write = inOrder.before();
        ShadowAccess read = inOrder.now();
        CheckedThread reader = run.thread(read.thread());
        if (read.writes() || read.completion() != null && write.completion() != null
                || write.thread() == read.thread()
                || run.thread(write.thread()).cluster != reader.cluster || race.bytes().of() != read.thread().block()) {
            return null;
        }
        CopyCompletion copy = write.completion();
        Barrier counting = copy == null ? null : copy.barrier();
        Optional<SharedRegion> array = counting == null
                ? handOvers.after(run.values(run.thread(write.thread())), write.step())
                : Optional.ofNullable(steps.at(counting.address())).map(BarrierSteps.At::region);
        if (array.isEmpty() || !handOvers.comesWithoutWaiting(run.values(reader), read.step(), array.get())) {
            return null;
        }
        int later = handOvers.waitAfter(run.values(reader), read.step(), array.get());
        if (read.completion() != null) {
            // One thread lets the copy engine read what all that hand it back have to wait for.
            int anchor = later != 0 ? later : clues.nextArrival(reader, read.step());
            int place = anchor == 0 ? 0 : flow.placeBetween(read.step(), anchor);
            return races.readsWithoutWait(inOrder, array.get(), later, place == 0 ? read.step() : place);
        }
        return counting == null ? races.readsWithoutWait(inOrder, array.get(), later, read.step())
                : later != 0 ? races.readBeforeTheWait(inOrder, later) : races.readsBeforePhase(inOrder);
    }

    /** What is wrong if one of two writers hands the bytes over by an mbarrier, and the other one waits for none. */
    RaceVerdict ofWriteWithoutWait(Race race) {
        RaceVerdict verdict = ofWriteAfter(race);
        return verdict != null ? verdict : ofWriteAfter(race.reversed());
    }

    private RaceVerdict ofWriteAfter(Race race) {
        CheckedThread first = run.thread(race.before().thread());
        CheckedThread second = run.thread(race.now().thread());
        if (!race.before().writes() || !race.now().writes() || first.cluster != second.cluster
                || race.before().completion() != null || race.now().completion() != null || !race.bytes().shared()
                || race.bytes().of() != second.block()) {
            return null;
        }
        int arrival = handOvers.arrivalAfter(run.values(first), race.before().step());
        Optional<SharedRegion> array = arrival == 0 ? Optional.empty() : steps.region(arrival);
        // Who hands such bytes over as well is no reader of theirs.
        return array.isEmpty() || flow.mayPerform(run.values(second), arrival)
                || !handOvers.comesWithoutWaiting(run.values(second), race.now().step(), array.get())
                || handOvers.waitAfter(run.values(second), race.now().step(), array.get()) != 0 ? null
                : races.readsWithoutWait(race, array.get(), 0, race.now().step());
    }

    /**
     * What is wrong if some have arrived twice in one phase of the mbarrier that the copier has waited for, as their
     * own wait for a copy passed for a phase before: others have not arrived in that phase.
     */
    private RaceVerdict ofSecondArrival(Race race, Barrier counting) {
        CheckedThread copier = run.thread(race.now().thread());
        BarrierWait wait = copier.lastWait;
        if (wait == null || wait.vain()) {
            return null;
        }
        Barrier empty = wait.barrier();
        for (Map.Entry<ThreadClock, Use> use : copier.cluster.log.of(empty.owner(), empty.address()).entrySet()) {
            ThreadClock reader = use.getKey();
            if (use.getValue().inLastPhase > Math.max(1, use.getValue().mostInPhase)) {
                for (Barrier each : copier.cluster.block(reader.block()).barriers()) {
                    BarrierWait vain = each.vainWait();
                    Use passes = copier.cluster.log.of(reader, each.owner(), each.address());
                    if (vain != null && passes != null && passes.passStep == vain.step()
                            && steps.at(each.address()).region().equals(steps.at(counting.address()).region())) {
                        return races.readersArriveTwice(race, empty, vain, reader.block());
                    }
                }
            }
        }
        return null;
    }

    /** Whether a thread arrives at such an mbarrier next after an access, by what is written there. */
    boolean handsOver(ShadowAccess access, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        return at != null && handOvers.after(run.values(run.thread(access.thread())), access.step())
                .map(at.region()::equals).orElse(false);
    }

    /**
     * What is wrong if a copy overwrites what may be in flight, because its stage is another one than that whose
     * mbarrier counts it, or because no thread waits for the arrivals that hand stages back.
     */
    RaceVerdict ofEarlyCopy(Race race) {
        Barrier before = race.before().completion().barrier();
        Barrier now = race.now().completion().barrier();
        int stage = now == null || now == before ? -1 : stage(race.bytes(), now);
        if (stage >= 0 && clues.isSameRegion(before, now) && stage == number(before)) {
            return races.copiesToTheStageBefore(race, now);
        }
        RaceVerdict twice = ofSecondArrival(race, before);
        if (twice != null) {
            return twice;
        }
        int step = race.now().step();
        int arrival = clues.nextArrival(run.thread(race.now().thread()), step);
        List<SharedRegion> notWaitedFor = steps.notWaitedFor();
        return arrival == 0 || notWaitedFor.size() != 1 || steps.region(arrival).equals(Optional.of(
                notWaitedFor.getFirst())) ? null
                : races.nobodyWaitsForReaders(race, notWaitedFor.getFirst(), flow.placeBetween(step, arrival));
    }

    /** What is wrong if the reader's wait for what the other one hands over passed for a phase before. */
    RaceVerdict ofVainWait(Race race) {
        Race inOrder = race.before().writes() ? race : race.reversed();
        ShadowAccess write = inOrder.before();
        CheckedThread reader = run.thread(inOrder.now().thread());
        BarrierWait wait = reader.lastWait;
        if (inOrder.now().writes() || wait == null || !wait.vain() || wait.barrier().owner() != reader.block()) {
            return null;
        }
        Optional<SharedRegion> array = handOvers.after(run.values(run.thread(write.thread())), write.step());
        return array.isEmpty() || !array.get().equals(steps.at(wait.barrier().address()).region()) ? null
                : races.readAfterVainWait(inOrder, wait);
    }

    /**
     * What is wrong if a thread's arrival at an mbarrier is to tell of its cp.async copies and does not follow them,
     * and the reader waits for that mbarrier.
     */
    RaceVerdict ofPlainArrival(Race race) {
        CopyCompletion copy = race.before().completion();
        ThreadValues copier = run.values(run.thread(copy.thread()));
        CheckedThread reader = run.thread(race.now().thread());
        List<Integer> arrivals = arrivalsAround(copier, copy.step());
        if (arrivals.stream().anyMatch(s -> s > copy.step() && followsCopies(s))) {
            return null;
        }
        for (int arrival : arrivals) {
            Optional<SharedRegion> array = steps.region(arrival);
            boolean waited = array.isPresent() && steps.waitingNear(array.get()).stream()
                    .anyMatch(s -> s < race.now().step() && flow.mayPerform(run.values(reader), s));
            boolean covered =
                    flow.isAnyBetween(copy.step(), arrival, s -> Clues.isWait(flow.operation(s), copy.kind()));
            if (waited && !covered && arrival > copy.step()) {
                return races.arrivesBesideCopies(race, arrival,
                        flow.lastBefore(arrival, HandOverCulprits::storesShared) != 0);
            } else if (waited && followsCopies(arrival) && arrival < copy.step()) {
                return races.arrivesBeforeCopies(race, arrival, flow.placeBetween(copy.step(), arrival));
            }
        }
        return null;
    }

    /** A thread's arrivals in the innermost loop around a step that has any. */
    private List<Integer> arrivalsAround(ThreadValues thread, int step) {
        List<Integer> arrivals = List.of();
        for (int at = step; at != 0 && arrivals.isEmpty(); at = flow.loopAround(at)) {
            arrivals = handOvers.arrivalsAround(thread, at);
        }
        return arrivals;
    }

    /** Whether threads write shared memory themselves in a step. */
    static boolean storesShared(Operation operation) {
        return operation instanceof Operation.Storing s && s.to() instanceof Address.Shared;
    }

    private boolean followsCopies(int arrival) {
        return flow.operation(arrival) instanceof Operation.Instruction i && i.form() instanceof CpAsyncMbarrierArrive;
    }

    /**
     * What is wrong if another thread arrives for the one that touched the bytes, where the later one waits, and the
     * two have not met before that.
     */
    RaceVerdict ofArrivalForOthers(Race race) {
        CheckedThread waiter = run.thread(race.now().thread());
        CheckedThread other = run.thread(race.before().thread());
        BarrierWait wait = waiter.lastWait;
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
                return races.arrivesForOthers(race, arrival, use.getKey(), b,
                        flow.placeBetween(arrival, race.before().step()));
            }
        }
        return null;
    }

    private static boolean isOfWarp(ThreadClock a, ThreadClock b) {
        return a.block() == b.block() && a.thread() / WARP == b.thread() / WARP;
    }

    /** Mbarriers by which others hand over such bytes, and for which a thread does not wait before it reads them. */
    Optional<SharedRegion> notWaitedFor(CheckedThread reader, int step, Span bytes) {
        BarrierSteps.At at = steps.at((int) bytes.at());
        return at == null ? Optional.empty() : handOvers.notWaitedFor(run.values(reader), step, at.region(),
                reader.cluster.threads().stream().filter(t -> t != reader).map(run::values).toList());
    }

    /**
     * The number of the stage that bytes are in, if their buffer has as many equal parts as an array has mbarriers; -1
     * if not.
     */
    private int stage(Span bytes, Barrier b) {
        BarrierSteps.At buffer = steps.at((int) bytes.at());
        BarrierSteps.At array = steps.at(b.address());
        int stages = buffer == null || array == null ? 1 : array.region().bytes() / BARRIER_BYTES;
        return stages < 2 || buffer.region().bytes() % stages != 0 ? -1
                : buffer.offset() / (buffer.region().bytes() / stages);
    }

    /** The number of an mbarrier in its array. */
    private int number(Barrier b) {
        return steps.at(b.address()).offset() / BARRIER_BYTES;
    }

    /** What is wrong if the reader and the copying thread do use barriers, and one of their steps is wrong. */
    RaceVerdict ofOverwrite(Race race) {
        CheckedThread copier = run.thread(race.now().thread());
        CheckedThread reader = run.thread(race.before().thread());
        if (copier.cluster != reader.cluster) {
            return null;
        }
        RaceVerdict arrivals = Finder.first(race, this::ofWeakArrival, other -> ofReaderThatDoesNotWait(other, reader),
                this::ofArrivalForOthers);
        if (arrivals != null) {
            return arrivals;
        }
        BarrierWait readersWait = reader.lastWait;
        Barrier counting = race.now().completion() == null ? null : race.now().completion().barrier();
        BarrierWait vain = counting == null ? null : counting.vainWait();
        Use waits = counting == null ? null : reader.cluster.log.of(reader.clock, counting.owner(), counting.address());
        if (vain != null && waits != null && waits.passStep == vain.step()) {
            return races.readerWaitedForPastPhase(race, vain);
        }
        BarrierWait wait = copier.lastWait;
        if (wait == null || wait.vain()) {
            return null;
        }
        Barrier empty = wait.barrier();
        if (counting != null && steps.nameDifferentNumbers(wait.step(), race.now().step())) {
            return races.waitedForAnotherStage(race, wait.step(), empty, counting);
        }
        Use release = reader.cluster.log.of(reader.clock, empty.owner(), empty.address());
        int released = releaseOf(reader, empty);
        if (readersWait != null && released != 0 && steps.nameDifferentNumbers(readersWait.step(), released)) {
            return races.arrivesForAnotherStage(race, released, reader.clock, empty);
        }
        if (moreArriveThanExpected(reader.cluster, empty)) {
            return races.phasesBeforeReaders(race, empty);
        }
        return release != null && release.arrivals > 0
                && release.lastPhase < copier.clock.hasSeenPhases(empty.slot())
                && race.before().time() >= release.arriveTime && isInLoopOf(release.arriveStep, race.before().step())
                ? races.arrivesBeforeReading(race, release.arriveStep, empty) : null;
    }

    /** Whether a step is in the loop that another one is in, or in one within that. */
    private boolean isInLoopOf(int other, int step) {
        int loop = flow.loopAround(other);
        for (int at = step; at != 0; at = flow.around(at)) {
            if (flow.loopAround(at) == loop) {
                return true;
            }
        }
        return loop == 0;
    }

    /**
     * What is wrong if an mbarrier of the reader's block counts the copy, and the reader waits for none of its array.
     */
    private RaceVerdict ofReaderThatDoesNotWait(Race race, CheckedThread reader) {
        CopyCompletion copy = race.now().completion();
        Barrier counting = copy == null || copy.barrier() == null ? null
                : reader.cluster.block(reader.block()).barrier(copy.barrier().address());
        return counting == null || waitsForAny(reader, counting) ? null : races.readsBeforePhase(race.reversed());
    }

    private boolean waitsForAny(CheckedThread reader, Barrier counting) {
        for (Barrier each : reader.cluster.block(counting.owner()).barriers()) {
            Use use = reader.cluster.log.of(reader.clock, each.owner(), each.address());
            if (use != null && use.passes > 0 && clues.isSameRegion(each, counting)) {
                return true;
            }
        }
        // Another thread may wait for it, and meet the reader.
        return flow.steps(Clues::isSync).stream().anyMatch(s -> flow.mayPerform(run.values(reader), s)
                && flow.loopAround(s) != 0);
    }

    /** The step by which a thread arrived last at an mbarrier, or at another of its region; 0 for none. */
    private int releaseOf(CheckedThread thread, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        long last = -1;
        int step = 0;
        for (Barrier each : thread.cluster.block(b.owner()).barriers()) {
            BarrierSteps.At other = steps.at(each.address());
            Use use = thread.cluster.log.of(thread.clock, each.owner(), each.address());
            if (use != null && use.arrivals > 0 && use.arriveEvent > last && at != null && other != null
                    && other.region().equals(at.region())) {
                last = use.arriveEvent;
                step = use.arriveStep;
            }
        }
        return step;
    }

    /** Whether more threads have arrived at an mbarrier than a phase takes. */
    private static boolean moreArriveThanExpected(CheckedCluster cluster, Barrier b) {
        return cluster.log.of(b.owner(), b.address()).values().stream().filter(use -> use.arrivals > 0)
                .mapToLong(use -> Math.max(1, use.mostInPhase)).sum() > b.expectedArrivals();
    }

    /**
     * What is wrong if the thread has waited for an mbarrier, and an arrival there would have told it what it needs to
     * know, had it released that.
     */
    RaceVerdict ofWeakArrival(Race race) {
        BarrierWait wait = run.thread(race.now().thread()).lastWait;
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
                return races.arrivedWithoutRelease(race, arrival.arriveStep, by);
            }
        }
        return null;
    }

    /** What is wrong if the reader waits for a copy, and not for this one. */
    RaceVerdict ofEarlyUse(Race race) {
        CopyCompletion copy = race.before().completion();
        CheckedThread reader = run.thread(race.now().thread());
        Barrier b = copy.barrier();
        Use own = reader.cluster.log.of(reader.clock, b.owner(), b.address());
        if (own != null && own.passes > 0 && own.passPhase >= copy.phase() && own.passOrder != null
                && own.passOrder.semantics() == Semantics.RELAXED) {
            return races.waitedRelaxed(race, own.passStep);
        }
        BarrierWait wait = reader.lastWait;
        if (wait == null || wait.barrier() == b || !clues.isSameRegion(wait.barrier(), b)) {
            return waitsAfterwards(race, reader, b);
        }
        int release = clues.nextArrival(reader, wait.step());
        if (release != 0 && steps.nameDifferentNumbers(wait.step(), release)) {
            return races.readAfterWaitForAnotherStage(race, wait.step(), wait.barrier(), b);
        }
        int announced = releaseOf(run.thread(copy.thread()), wait.barrier());
        if (announced != 0 && steps.nameDifferentOfOneArray(announced, copy.step())) {
            return races.copyCountsOnAnotherBarrier(race, b, wait.barrier());
        }
        List<Integer> following = arrivalsAround(run.values(run.thread(copy.thread())), copy.step()).stream()
                .filter(this::followsCopies).toList();
        if (!following.isEmpty() && following.stream().allMatch(s -> s < copy.step())) {
            return races.arrivesBeforeCopies(race, following.getFirst(),
                    flow.placeBetween(copy.step(), following.getFirst()));
        }
        return stage(race.bytes(), wait.barrier()) == number(wait.barrier()) ? races.copiesToAnotherStage(race, b)
                : races.readsAnotherStage(race, wait.step(), wait.barrier(), b);
    }

    /** What is wrong if the wait for the copy follows the use. */
    private RaceVerdict waitsAfterwards(Race race, CheckedThread reader, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        if (at == null || reader.lastWait != null && reader.lastWait.barrier() == b) {
            return null;
        }
        Optional<Integer> later = steps.waiting(at).stream().filter(s -> s > race.now().step()
                && flow.mayStillPerform(run.values(reader), race.now().step(), s)).findFirst();
        return later.map(s -> races.readBeforeTheWait(race, s)).orElse(null);
    }

    /**
     * What is wrong if a thread arrives where the other one waits, and touches the bytes, or waits for its copy, then.
     */
    RaceVerdict ofEarlyArrival(Race race) {
        CheckedThread waiter = run.thread(race.now().thread());
        CheckedThread other = run.thread(race.before().thread());
        BarrierWait wait = waiter.lastWait;
        if (wait == null || wait.vain() || waiter.cluster != other.cluster) {
            return null;
        }
        Barrier b = wait.barrier();
        Use use = other.cluster.log.of(other.clock, b.owner(), b.address());
        boolean early = use != null && use.arrivals > 0 && use.passes == 0
                && use.lastPhase < waiter.clock.hasSeenPhases(b.slot()) && race.before().time() >= use.arriveTime
                && flow.loopAround(use.arriveStep) == flow.loopAround(race.before().step())
                && isInLoopOf(wait.step(), race.now().step());
        int stage = early ? stage(race.bytes(), b) : -1;
        GroupWait done = race.before().completion() == null ? null : race.before().completion().groups().lastWait();
        if (early && use.arriveStep < race.before().step()) {
            return races.arrivesBeforeTouching(race, use.arriveStep, b, done);
        }
        return done != null || stage < 0 ? null : stage != number(b) ? races.touchesAnotherStage(race, wait.step(), b)
                : races.touchesWhatItHandedOver(race, use.arriveStep, b);
    }
}
