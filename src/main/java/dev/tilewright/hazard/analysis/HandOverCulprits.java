package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.HandOvers;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.report.RaceVerdict;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Effects.Semantics;
import java.util.List;
import java.util.Optional;

/**
 * Looks for what is wrong where threads wait for bytes that mbarriers hand over: no wait, one for another stage, one
 * that passes at once. Each finder returns null where it finds nothing.
 */
final class HandOverCulprits {
    private final Clues clues;
    private final RunState run;
    private final ProgramFlow flow;
    private final BarrierSteps steps;
    private final HandOvers handOvers;
    private final RaceFindings races;
    private final ArrivalCulprits arrivals;

    HandOverCulprits(Clues clues, RaceFindings races) {
        this.clues = clues;
        this.run = clues.run();
        this.flow = clues.flow();
        this.steps = clues.steps();
        this.handOvers = clues.handOvers();
        this.races = races;
        this.arrivals = new ArrivalCulprits(clues, races);
    }

    /** What is wrong with arrivals. */
    ArrivalCulprits arrivals() {
        return arrivals;
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
            return races.handOvers().readsWithoutWait(inOrder, array.get(), later, place == 0 ? read.step() : place);
        }
        return counting == null ? races.handOvers().readsWithoutWait(inOrder, array.get(), later, read.step())
                : later != 0 ? races.handOvers().readBeforeTheWait(inOrder, later)
                : races.handOvers().readsBeforePhase(inOrder);
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
                : races.handOvers().readsWithoutWait(race, array.get(), 0, race.now().step());
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
        int stage = now == null || now == before ? -1 : clues.stage(race.bytes(), now);
        if (stage >= 0 && clues.isSameRegion(before, now) && stage == clues.number(before)) {
            return races.handOvers().copiesToTheStageBefore(race, now);
        }
        RaceVerdict twice = arrivals.ofSecondArrival(race, before);
        if (twice != null) {
            return twice;
        }
        int step = race.now().step();
        int arrival = clues.nextArrival(run.thread(race.now().thread()), step);
        List<SharedRegion> notWaitedFor = steps.notWaitedFor();
        return arrival == 0 || notWaitedFor.size() != 1 || steps.region(arrival).equals(Optional.of(
                notWaitedFor.getFirst())) ? null
                : races.handOvers().readersNotAwaited(race, notWaitedFor.getFirst(),
                flow.placeBetween(step, arrival));
    }

    /** What is wrong if the reader's wait for what the other one hands over passed for a phase before. */
    RaceVerdict ofVainWait(Race race) {
        Race inOrder = race.before().writes() ? race : race.reversed();
        ShadowAccess write = inOrder.before();
        CheckedThread reader = run.thread(inOrder.now().thread());
        PassedWait wait = reader.lastWait;
        if (inOrder.now().writes() || wait == null || !wait.vain() || wait.barrier().owner() != reader.block()) {
            return null;
        }
        Optional<SharedRegion> array = handOvers.after(run.values(run.thread(write.thread())), write.step());
        return array.isEmpty() || !array.get().equals(steps.at(wait.barrier().address()).region()) ? null
                : races.handOvers().readAfterVainWait(inOrder, wait);
    }

    /** Mbarriers by which others hand over such bytes, and for which a thread does not wait before it reads them. */
    Optional<SharedRegion> notWaitedFor(CheckedThread reader, int step, ByteRange bytes) {
        BarrierSteps.At at = steps.at((int) bytes.at());
        return at == null ? Optional.empty() : handOvers.notWaitedFor(run.values(reader), step, at.region(),
                reader.cluster.threads().stream().filter(t -> t != reader).map(run::values).toList());
    }

    /** What is wrong if the reader and the copying thread do use barriers, and one of their steps is wrong. */
    RaceVerdict ofOverwrite(Race race) {
        CheckedThread copier = run.thread(race.now().thread());
        CheckedThread reader = run.thread(race.before().thread());
        if (copier.cluster != reader.cluster) {
            return null;
        }
        RaceVerdict arrival = Finder.first(race, arrivals::ofWeakArrival,
                other -> ofReaderThatDoesNotWait(other, reader),
                arrivals::ofArrivalForOthers);
        if (arrival != null) {
            return arrival;
        }
        PassedWait readersWait = reader.lastWait;
        Barrier counting = race.now().completion() == null ? null : race.now().completion().barrier();
        PassedWait vain = counting == null ? null : counting.notes().vainWait();
        Use waits = counting == null ? null : reader.cluster.log.of(reader.clock, counting.owner(), counting.address());
        if (vain != null && waits != null && waits.passStep == vain.step()) {
            return races.handOvers().readerWaitedForPastPhase(race, vain);
        }
        PassedWait wait = copier.lastWait;
        if (wait == null || wait.vain()) {
            return null;
        }
        Barrier empty = wait.barrier();
        if (counting != null && steps.nameDifferentNumbers(wait.step(), race.now().step())) {
            return races.handOvers().waitedForAnotherStage(race, wait.step(), empty, counting);
        }
        Use release = reader.cluster.log.of(reader.clock, empty.owner(), empty.address());
        int released = clues.releaseOf(reader, empty);
        if (readersWait != null && released != 0 && steps.nameDifferentNumbers(readersWait.step(), released)) {
            return races.handOvers().arrivesForAnotherStage(race, released, reader.clock, empty);
        }
        if (ArrivalCulprits.moreArriveThanExpected(reader.cluster, empty)) {
            return races.handOvers().phasesBeforeReaders(race, empty);
        }
        return release != null && release.arrivals > 0
                && release.lastPhase < copier.clock.hasSeenPhases(empty.slot())
                && race.before().time() >= release.arriveTime
                && arrivals.isInLoopOf(release.arriveStep, race.before().step())
                ? races.handOvers().arrivesBeforeReading(race, release.arriveStep, empty) : null;
    }

    /**
     * What is wrong if an mbarrier of the reader's block counts the copy, and the reader waits for none of its array.
     */
    private RaceVerdict ofReaderThatDoesNotWait(Race race, CheckedThread reader) {
        CopyCompletion copy = race.now().completion();
        Barrier counting = copy == null || copy.barrier() == null ? null
                : reader.cluster.block(reader.block()).barrier(copy.barrier().address());
        return counting == null || waitsForAny(reader, counting) ? null
                : races.handOvers().readsBeforePhase(race.reversed());
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

    /** What is wrong if the reader waits for a copy, and not for this one. */
    RaceVerdict ofEarlyUse(Race race) {
        CopyCompletion copy = race.before().completion();
        CheckedThread reader = run.thread(race.now().thread());
        Barrier b = copy.barrier();
        Use own = reader.cluster.log.of(reader.clock, b.owner(), b.address());
        if (own != null && own.passes > 0 && own.passPhase >= copy.phase() && own.passOrder != null
                && own.passOrder.semantics() == Semantics.RELAXED) {
            return races.handOvers().waitedRelaxed(race, own.passStep);
        }
        PassedWait wait = reader.lastWait;
        if (wait == null || wait.barrier() == b || !clues.isSameRegion(wait.barrier(), b)) {
            return waitsAfterwards(race, reader, b);
        }
        int release = clues.nextArrival(reader, wait.step());
        if (release != 0 && steps.nameDifferentNumbers(wait.step(), release)) {
            return races.handOvers().readAfterWaitForAnotherStage(race, wait.step(), wait.barrier(), b);
        }
        int announced = clues.releaseOf(run.thread(copy.thread()), wait.barrier());
        if (announced != 0 && steps.nameDifferentOfOneArray(announced, copy.step())) {
            return races.handOvers().copyCountsOnAnotherBarrier(race, b, wait.barrier());
        }
        List<Integer> following = clues.arrivalsAround(run.values(run.thread(copy.thread())), copy.step()).stream()
                .filter(clues::followsCopies).toList();
        if (!following.isEmpty() && following.stream().allMatch(s -> s < copy.step())) {
            return races.handOvers().arrivesBeforeCopies(race, following.getFirst(),
                    flow.placeBetween(copy.step(), following.getFirst()));
        }
        return clues.stage(race.bytes(), wait.barrier()) == clues.number(wait.barrier())
                ? races.handOvers().copiesToAnotherStage(race, b)
                : races.handOvers().readsAnotherStage(race, wait.step(), wait.barrier(), b);
    }

    /** What is wrong if the wait for the copy follows the use. */
    private RaceVerdict waitsAfterwards(Race race, CheckedThread reader, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        if (at == null || reader.lastWait != null && reader.lastWait.barrier() == b) {
            return null;
        }
        Optional<Integer> later = steps.waiting(at).stream().filter(s -> s > race.now().step()
                && flow.mayStillPerform(run.values(reader), race.now().step(), s)).findFirst();
        return later.map(s -> races.handOvers().readBeforeTheWait(race, s)).orElse(null);
    }
}
