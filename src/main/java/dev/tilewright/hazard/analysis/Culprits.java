package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierWait;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.async.WaitWindows.Window;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.HandOvers;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.flow.ThreadValues;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.Heard;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.hazard.shadow.Span;
import dev.tilewright.program.Operation;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrival;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks for the step that is there and is not as it should be, where something is not ordered: an arrival that comes
 * too early, a wait for another stage, a fence of the wrong thread. What is there already is not asked for again; and
 * where such a step is found, it is the one at fault.
 */
final class Culprits {
    private static final int BARRIER_BYTES = 8;
    private static final int WARP = 32;

    private final RunState run;
    private final RaceFindings races;
    private final BarrierFindings barriers;
    private final ProgramFlow flow;
    private final BarrierSteps steps;
    private final HandOvers handOvers;

    Culprits(TileProgram program, RunState run, RaceFindings races, BarrierFindings barriers) {
        this.run = run;
        this.races = races;
        this.barriers = barriers;
        this.flow = new ProgramFlow(program);
        this.steps = new BarrierSteps(flow, program.shared());
        this.handOvers = new HandOvers(flow, steps);
    }

    // ---- a reader that does not wait

    /**
     * Says so, if one of two threads reads what the other one hands over by an mbarrier, and has not waited for any of
     * that array: whichever of the two came first, and whatever the other one waits for.
     */
    boolean ofReadWithoutWait(Race race) {
        Race inOrder = race.before().writes() ? race : race.reversed();
        ShadowAccess write = inOrder.before();
        ShadowAccess read = inOrder.now();
        CheckedThread reader = run.thread(read.thread());
        if (read.writes() || read.completion() != null || write.thread() == read.thread()
                || run.thread(write.thread()).cluster != reader.cluster || race.bytes().of() != read.thread().block()) {
            return false;
        }
        CopyCompletion copy = write.completion();
        Barrier counting = copy == null ? null : copy.barrier();
        Optional<SharedRegion> array = counting == null
                ? handOvers.after(run.values(run.thread(write.thread())), write.step())
                : Optional.ofNullable(steps.at(counting.address())).map(BarrierSteps.At::region);
        if (array.isEmpty() || !handOvers.comesWithoutWaiting(values(reader), read.step(), array.get())) {
            return false;
        }
        int later = handOvers.waitAfter(values(reader), read.step(), array.get());
        if (counting == null) {
            races.readsWithoutWait(inOrder, array.get(), later);
        } else if (later != 0) {
            races.readBeforeTheWait(inOrder, later);
        } else {
            races.readsBeforePhase(inOrder);
        }
        return true;
    }

    /** Says so, if the reader's wait for what the other one hands over passed for a phase before. */
    boolean ofVainWait(Race race) {
        Race inOrder = race.before().writes() ? race : race.reversed();
        ShadowAccess write = inOrder.before();
        CheckedThread reader = run.thread(inOrder.now().thread());
        BarrierWait wait = reader.lastWait;
        if (inOrder.now().writes() || wait == null || !wait.vain() || wait.barrier().owner() != reader.block()) {
            return false;
        }
        Optional<SharedRegion> array = handOvers.after(run.values(run.thread(write.thread())), write.step());
        if (array.isEmpty() || !array.get().equals(steps.at(wait.barrier().address()).region())) {
            return false;
        }
        races.readAfterVainWait(inOrder, wait);
        return true;
    }

    /** Says so, if one access waits for, or tells, a value by a scope, and the other one has none. */
    boolean ofPlainAccess(Race race) {
        ShadowAccess a = race.before();
        ShadowAccess b = race.now();
        if (a.completion() != null || b.completion() != null || a.thread().cluster() == b.thread().cluster()
                && a.thread() == b.thread()) {
            return false;
        }
        ShadowAccess scoped = a.scope() != null ? a : b;
        ShadowAccess plain = scoped == a ? b : a;
        boolean waitsForPlain = scoped.scope() != null && scoped.isWaiting() && plain.scope() == null && plain.writes();
        if (waitsForPlain) {
            races.waitsForPlainStore(race, scoped, plain);
        }
        return waitsForPlain;
    }

    /** Says so, if both threads load, change and store the same bytes, by two steps. */
    boolean ofTornUpdate(Race race) {
        int store = race.before().writes() ? race.before().step() : race.now().step();
        int other = race.before().writes() ? race.now().step() : race.before().step();
        int load = race.before().completion() != null || race.now().completion() != null ? 0 : flow.loadOfUpdate(store);
        if (load == 0 || other != load && other != store) {
            return false;
        }
        races.updatesInTwoSteps(race, load, store);
        return true;
    }

    /**
     * Says so, if a thread's arrival at an mbarrier is to tell of its cp.async copies and does not follow them, and the
     * reader waits for that mbarrier.
     */
    boolean ofPlainArrival(Race race) {
        CopyCompletion copy = race.before().completion();
        ThreadValues copier = values(run.thread(copy.thread()));
        CheckedThread reader = run.thread(race.now().thread());
        List<Integer> arrivals = handOvers.arrivalsAround(copier, copy.step());
        if (arrivals.stream().anyMatch(s -> s > copy.step() && followsCopies(s))) {
            return false;
        }
        for (int arrival : arrivals) {
            Optional<SharedRegion> array = steps.region(arrival);
            boolean waited = array.isPresent() && steps.waitingNear(array.get()).stream()
                    .anyMatch(s -> s < race.now().step() && flow.mayPerform(values(reader), s));
            boolean covered = flow.isAnyBetween(copy.step(), arrival, s -> isWait(flow.operation(s), copy.kind()));
            if (waited && !covered && arrival > copy.step()) {
                races.arrivesBesideCopies(race, arrival);
                return true;
            } else if (waited && followsCopies(arrival) && arrival < copy.step()) {
                races.arrivesBeforeCopies(race, arrival);
                return true;
            }
        }
        return false;
    }

    private boolean followsCopies(int arrival) {
        return flow.operation(arrival) instanceof Operation.Instruction i && i.form() instanceof CpAsyncMbarrierArrive;
    }

    /**
     * Says so, if another thread arrives for the one that touched the bytes, where the later one waits, and the two have
     * not met before that.
     */
    boolean ofArrivalForOthers(Race race) {
        CheckedThread waiter = run.thread(race.now().thread());
        CheckedThread other = run.thread(race.before().thread());
        BarrierWait wait = waiter.lastWait;
        if (wait == null || wait.vain() || waiter.cluster != other.cluster || other == waiter) {
            return false;
        }
        Barrier b = wait.barrier();
        Map<ThreadClock, Use> uses = other.cluster.log.of(b.owner(), b.address());
        Use own = uses.get(other.clock);
        if (own != null && own.arrivals > 0) {
            return false;
        }
        for (Map.Entry<ThreadClock, Use> use : uses.entrySet()) {
            int arrival = use.getValue().arrivals > 0 ? use.getValue().arriveStep : 0;
            if (arrival > race.before().step() && use.getKey() != waiter.clock && isOfWarp(use.getKey(), other.clock)
                    && flow.loopAround(arrival) == flow.loopAround(race.before().step())
                    && flow.mayPerform(values(run.thread(use.getKey())), race.before().step())) {
                races.arrivesForOthers(race, arrival, use.getKey(), b,
                        flow.placeBetween(arrival, race.before().step()));
                return true;
            }
        }
        return false;
    }

    private static boolean isOfWarp(ThreadClock a, ThreadClock b) {
        return a.block() == b.block() && a.thread() / WARP == b.thread() / WARP;
    }

    /** Mbarriers by which others hand over such bytes, and for which a thread does not wait before it reads them. */
    Optional<SharedRegion> notWaitedFor(CheckedThread reader, int step, Span bytes) {
        BarrierSteps.At at = steps.at((int) bytes.at());
        return at == null ? Optional.empty() : handOvers.notWaitedFor(values(reader), step, at.region(),
                reader.cluster.threads().stream().filter(t -> t != reader).map(this::values).toList());
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

    // ---- a copy that overwrites what is still read

    /** Says so, if the reader and the copying thread do use barriers, and one of their steps is wrong. */
    boolean ofOverwrite(Race race) {
        CheckedThread copier = run.thread(race.now().thread());
        CheckedThread reader = run.thread(race.before().thread());
        if (copier.cluster != reader.cluster) {
            return false;
        }
        if (ofWeakArrival(race)) {
            return true;
        }
        if (ofReaderThatDoesNotWait(race, reader) || ofArrivalForOthers(race)) {
            return true;
        }
        BarrierWait readersWait = reader.lastWait;
        Barrier counting = race.now().completion() == null ? null : race.now().completion().barrier();
        BarrierWait vain = counting == null ? null : counting.vainWait();
        Use waits = counting == null ? null : reader.cluster.log.of(reader.clock, counting.owner(), counting.address());
        if (vain != null && waits != null && waits.passStep == vain.step()) {
            races.readerWaitedForPastPhase(race, vain);
            return true;
        }
        BarrierWait wait = copier.lastWait;
        if (wait == null || wait.vain()) {
            return false;
        }
        Barrier empty = wait.barrier();
        if (counting != null && steps.nameDifferentNumbers(wait.step(), race.now().step())) {
            races.waitedForAnotherStage(race, wait.step(), empty, counting);
            return true;
        }
        Use release = reader.cluster.log.of(reader.clock, empty.owner(), empty.address());
        int released = releaseOf(reader, empty);
        if (readersWait != null && released != 0 && steps.nameDifferentNumbers(readersWait.step(), released)) {
            races.arrivesForAnotherStage(race, released, reader.clock, empty);
            return true;
        }
        if (moreArriveThanExpected(reader.cluster, empty)) {
            races.phasesBeforeReaders(race, empty);
            return true;
        }
        if (release != null && release.arrivals > 0 && release.lastPhase < copier.clock.hasSeenPhases(empty.slot())
                && race.before().time() >= release.arriveTime
                && isInLoopOf(release.arriveStep, race.before().step())) {
            races.arrivesBeforeReading(race, release.arriveStep, empty);
            return true;
        }
        return false;
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

    /** Says so, if an mbarrier of the reader's block counts the copy, and the reader waits for none of its array. */
    private boolean ofReaderThatDoesNotWait(Race race, CheckedThread reader) {
        CopyCompletion copy = race.now().completion();
        Barrier counting = copy == null || copy.barrier() == null ? null
                : reader.cluster.block(reader.block()).barrier(copy.barrier().address());
        if (counting == null || waitsForAny(reader, counting)) {
            return false;
        }
        races.readsBeforePhase(race.reversed());
        return true;
    }

    private boolean waitsForAny(CheckedThread reader, Barrier counting) {
        for (Barrier each : reader.cluster.block(counting.owner()).barriers()) {
            Use use = reader.cluster.log.of(reader.clock, each.owner(), each.address());
            if (use != null && use.passes > 0 && isSameRegion(each, counting)) {
                return true;
            }
        }
        // Another thread may wait for it, and meet the reader.
        return flow.steps(Culprits::isSync).stream().anyMatch(s -> flow.mayPerform(run.values(reader), s)
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
        long all = 0;
        for (Use use : cluster.log.of(b.owner(), b.address()).values()) {
            all += use.arrivals == 0 ? 0 : Math.max(1, use.mostInPhase);
        }
        return all > b.expectedArrivals();
    }

    /**
     * Says so, if the thread has waited for an mbarrier, and an arrival there would have told it what it needs to
     * know, had it released that.
     */
    boolean ofWeakArrival(Race race) {
        BarrierWait wait = run.thread(race.now().thread()).lastWait;
        CopyCompletion copy = race.before().completion();
        if (wait == null) {
            return false;
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
                races.arrivedWithoutRelease(race, arrival.arriveStep, by);
                return true;
            }
        }
        return false;
    }

    // ---- bytes that are read before their copy is known to have landed

    /** Says so, if the reader waits for a copy, and not for this one. */
    boolean ofEarlyUse(Race race) {
        CopyCompletion copy = race.before().completion();
        CheckedThread reader = run.thread(race.now().thread());
        Barrier b = copy.barrier();
        Use own = reader.cluster.log.of(reader.clock, b.owner(), b.address());
        if (own != null && own.passes > 0 && own.passPhase >= copy.phase() && own.passOrder != null
                && own.passOrder.semantics() == Semantics.RELAXED) {
            races.waitedRelaxed(race, own.passStep);
            return true;
        }
        BarrierWait wait = reader.lastWait;
        if (wait == null || wait.barrier() == b || !isSameRegion(wait.barrier(), b)) {
            return waitsAfterwards(race, reader, b);
        }
        int release = nextArrival(reader, wait.step());
        if (release != 0 && steps.nameDifferentNumbers(wait.step(), release)) {
            races.readAfterWaitForAnotherStage(race, wait.step(), wait.barrier(), b);
            return true;
        }
        int announced = arrivalStep(copy.thread(), wait.barrier());
        if (announced != 0 && copiesNameAnother(announced, copy.step())) {
            races.copyCountsOnAnotherBarrier(race, b, wait.barrier());
            return true;
        }
        if (stage(race.bytes(), wait.barrier()) == number(wait.barrier())) {
            races.copiesToAnotherStage(race, b);
        } else {
            races.readsAnotherStage(race, wait.step(), wait.barrier(), b);
        }
        return true;
    }

    /** Says so, if the wait for the copy stands behind the use. */
    private boolean waitsAfterwards(Race race, CheckedThread reader, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        if (at == null || reader.lastWait != null && reader.lastWait.barrier() == b) {
            return false;
        }
        Optional<Integer> later = steps.waiting(at).stream().filter(s -> s > race.now().step()
                && flow.mayStillPerform(values(reader), race.now().step(), s)).findFirst();
        later.ifPresent(s -> races.readBeforeTheWait(race, s));
        return later.isPresent();
    }

    private boolean isSameRegion(Barrier a, Barrier b) {
        BarrierSteps.At first = steps.at(a.address());
        BarrierSteps.At second = steps.at(b.address());
        return a.owner() == b.owner() && first != null && second != null && first.region().equals(second.region());
    }

    private int arrivalStep(ThreadClock thread, Barrier b) {
        return releaseOf(run.thread(thread), b);
    }

    /** Whether a copy names another mbarrier of one array than the step that announces its bytes. */
    private boolean copiesNameAnother(int announces, int copies) {
        return steps.nameDifferentOfOneArray(announces, copies);
    }

    /** The first step after a wait by which a thread may arrive somewhere; 0 for none. */
    private int nextArrival(CheckedThread thread, int wait) {
        return handOvers.arrivalAfter(values(thread), wait);
    }

    /** The same for any thread that comes there: one may arrive for others. */
    private int nextArrivalOfAny(int wait) {
        return flow.steps(o -> o instanceof Operation.Instruction i && i.form() instanceof MbarrierArrival).stream()
                .filter(s -> s > wait && flow.shareLoop(wait, s) && !flow.areAlternatives(wait, s)).findFirst().orElse(0);
    }

    /** Says so, if a thread that waits for ever waits for another stage than it goes on with. */
    boolean ofWaitForAnotherStage(CheckedThread thread) {
        int wait = thread.blocked.step();
        int next = nextArrival(thread, wait);
        boolean another = next != 0 && steps.nameDifferentNumbers(wait, next)
                && flow.isAnyBetween(wait, next, s -> steps.goesBy(s, next))
                && !flow.isAnyBetween(wait, next, s -> steps.goesBy(s, wait));
        if (another) {
            barriers.staysAtAnotherStage(thread.clock, wait, thread.blocked.barrier(), next);
        }
        return another;
    }

    // ---- waits that a phase does not wait for

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

    // ---- an arrival that comes when its phase has all

    /** Says so, if a thread arrives again in a phase because nothing, or a wait that passed at once, holds it back. */
    boolean ofRepeatedArrival(CheckedThread thread, int step, Barrier b) {
        Use use = thread.cluster.log.of(thread.clock, b.owner(), b.address());
        if (use == null || !use.isDoneIn(b.phase())) {
            return false;
        }
        BarrierWait wait = thread.lastWait;
        boolean waited = wait != null && wait.event() > use.arriveEvent && wait.barrier() != b;
        if (waited && step < wait.step() && flow.shareLoop(step, wait.step()) && !isSameRegion(wait.barrier(), b)
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

    // ---- what is there already

    /** Says so, if a thread of the later block has waited for the earlier one, and one of the two does not meet it. */
    boolean ofToldValue(Race race) {
        ThreadClock writer = race.before().thread();
        ThreadClock reader = race.now().thread();
        Heard last = null;
        for (CheckedThread other : run.thread(reader).cluster.threads()) {
            if (other.block() != reader.block()) {
                continue;
            }
            for (Heard h : other.clock.heard()) {
                boolean told = h.known().covers(writer.cluster(), writer.slot(), race.before().time());
                boolean follows = h.step() < race.now().step() || flow.shareLoop(h.step(), race.now().step());
                if (told && other.clock != reader && !reader.isAfter(other.clock, h.time()) && follows) {
                    races.noSyncAfterBlockWaited(race, h.step(), other.clock);
                    return true;
                }
                if (!told && h.teller().block() == writer.block() && reader.isAfter(other.clock, h.time())
                        && (last == null || h.toldAt() > last.toldAt())) {
                    last = h;
                }
            }
        }
        if (last == null) {
            return false;
        }
        int access = race.before().step();
        if (last.told() < access && flow.loopAround(last.told()) == flow.loopAround(access)) {
            races.toldBeforeAccess(race, last.told(), last.teller());
        } else if (last.teller() != writer && !flow.areAlternatives(access, last.told())) {
            races.noSyncBeforeTelling(race, last.told(), last.teller());
        } else {
            return false;
        }
        return true;
    }

    /** Says so, if the copying thread, which knows of the writes, has a proxy fence after that, for other memory. */
    boolean ofReadersFence(Race race) {
        ThreadClock writer = race.before().thread();
        CheckedThread copier = run.thread(race.now().thread());
        for (Heard h : copier.clock.heard()) {
            for (Deed fence : copier.deeds()) {
                if (fence.time() >= h.time() && h.known().covers(writer.cluster(), writer.slot(), race.before().time())
                        && flow.operation(fence.step()) instanceof Operation.Instruction i
                        && i.form() instanceof FenceProxyAsync form && form.memory() != FenceProxyAsync.Memory.ALL
                        && (form.memory() == FenceProxyAsync.Memory.GLOBAL) == race.bytes().shared()) {
                    races.fenceForOtherMemory(race, fence.step(), copier.block(), race.bytes().shared());
                    return true;
                }
            }
        }
        return false;
    }

    /** Says so, if a proxy fence is there, and in the wrong place, of the wrong thread or for other memory. */
    boolean ofFence(Race race) {
        CheckedThread writer = run.thread(race.before().thread());
        CheckedThread copier = run.thread(race.now().thread());
        if (writer.cluster != copier.cluster) {
            return false;
        }
        for (Deed fence : writer.deeds()) {
            if (flow.operation(fence.step()) instanceof Operation.Instruction i
                    && i.form() instanceof FenceProxyAsync form) {
                boolean ofOther = (form.memory() == FenceProxyAsync.Memory.GLOBAL) == race.bytes().shared()
                        && form.memory() != FenceProxyAsync.Memory.ALL;
                if (ofOther) {
                    races.fenceForOtherMemory(race, fence.step(), writer.block(), race.bytes().shared());
                    return true;
                }
                if (fence.time() < race.before().time()) {
                    races.fenceBeforeTheWrites(race, fence.step());
                } else if (race.bytes().shared() && race.bytes().of() != writer.block()
                        && form.memory() == FenceProxyAsync.Memory.SHARED) {
                    races.fenceForItsBlock(race, fence.step());
                } else {
                    races.fenceTooLate(race, fence.step());
                }
                return true;
            }
        }
        for (CheckedThread other : copier.cluster.threads()) {
            for (Deed fence : other.deeds()) {
                if (other != writer && flow.operation(fence.step()) instanceof Operation.Instruction i
                        && i.form() instanceof FenceProxyAsync) {
                    races.fenceOfAnotherThread(race, fence.step(), other.clock);
                    return true;
                }
            }
        }
        return false;
    }

    /** Says so, if a commit is there for a copy whose group is open, and comes too early, too late or elsewhere. */
    boolean ofCommit(Race race) {
        return ofCommit(race, race.before().completion());
    }

    /** The same where a wait leaves a group because a later copy was in none when the wait came. */
    boolean ofShallowWait(Race race) {
        CopyCompletion copy = race.before().completion();
        CopyCompletion open = copy.groups() == null ? null : copy.groups().openAtLastWait();
        if (open == null || open == copy) {
            return false;
        }
        if (!ofCommit(race, open)) {
            races.noCommitBeforeTheWait(race, open.step());
        }
        return true;
    }

    private boolean ofCommit(Race race, CopyCompletion copy) {
        CheckedThread copier = run.thread(copy.thread());
        int loop = flow.loopAround(copy.step());
        List<Integer> commits = flow.steps(o -> o instanceof Operation.Instruction i
                && copy.kind().isClosedBy(i.form())).stream()
                .filter(s -> loop == 0 || flow.shareLoop(s, copy.step())).toList();
        for (Deed deed : copier.deeds()) {
            if (commits.contains(deed.step()) && deed.step() < copy.step() && deed.event() < copy.startedAt()) {
                races.committedBeforeCopy(race, deed.step());
                return true;
            }
        }
        for (int commit : commits) {
            if (commit > copy.step() && flow.mayPerform(run.values(copier), commit)) {
                races.committedAfterUse(race, commit);
                return true;
            }
        }
        if (!commits.isEmpty()) {
            races.committedElsewhere(race, commits.getFirst(), copy.thread());
            return true;
        }
        return false;
    }

    /** Says so, if the wait for a copy's group stands behind the use, or before it, with no meeting after it. */
    boolean ofGroupWait(Race race) {
        CopyCompletion copy = race.before().completion();
        CheckedThread copier = run.thread(copy.thread());
        int use = race.now().step();
        List<Integer> waits = flow.steps(o -> isWait(o, copy.kind())).stream()
                .filter(s -> flow.mayPerform(run.values(copier), s)).toList();
        int loop = flow.loopAround(use);
        for (int wait : waits) {
            if (wait < use && flow.loopAround(wait) == loop && copy.thread() != race.now().thread()
                    && !flow.isBetween(wait, use, Culprits::isSync)) {
                Optional<Integer> sync = neighbouringSync(wait);
                if (sync.isPresent()) {
                    races.syncBeforeTheWait(race, sync.get(), wait);
                } else {
                    races.noSyncAfterTheWait(race, wait);
                }
                return true;
            }
        }
        Optional<Integer> later = waits.stream().filter(w -> w > use && flow.loopAround(w) == loop).findFirst();
        if (later.isPresent() && waits.stream().noneMatch(w -> w < use && flow.loopAround(w) == loop)) {
            int sync = copy.thread() == race.now().thread() ? 0 : flow.lastBefore(use, Culprits::isSync);
            races.usedBeforeTheGroupsWait(race, later.get(), sync == 0 ? use : sync);
            return true;
        }
        return false;
    }

    private static boolean isSync(Operation o) {
        return o instanceof Operation.SyncThreads;
    }

    private Optional<Integer> neighbouringSync(int wait) {
        return flow.steps(Culprits::isSync).stream().filter(s -> flow.areNeighbours(s, wait)).findFirst();
    }

    /**
     * Whether an access belongs before a copy, with nothing that makes it come before: neither of the two threads knows
     * what the other has done since they met last, and from there the access comes before the copy.
     */
    boolean belongsBeforeCopy(Race race) {
        ThreadClock copier = race.before().thread();
        ThreadClock other = race.now().thread();
        if (copier.block() != other.block() || copier == other || race.now().completion() != null
                || other.isAfter(copier, race.before().time())) {
            return false;
        }
        CheckedThread thread = run.thread(other);
        int access = race.now().step();
        int copy = race.before().step();
        return copier.knows(other, Clock.IN_TIME) < thread.lastSyncTime && !flow.areAlternatives(access, copy)
                && flow.comesBefore(access, copy, thread.lastSync);
    }

    /** Says so, if another thread waits for groups, which are its own alone. */
    boolean ofForeignWait(Race race) {
        CopyCompletion copy = race.before().completion();
        Misplaced wait = foreignWait(copy);
        if (wait != null) {
            races.waitOfAnotherThread(race, wait.step(), wait.thread());
        }
        return wait != null;
    }

    /**
     * A wait for groups that another thread of the block performs, and the copying thread does not; null for none. Who
     * has groups of its own waits for those.
     */
    private Misplaced foreignWait(CopyCompletion copy) {
        CheckedThread copier = run.thread(copy.thread());
        int loop = flow.loopAround(copy.step());
        List<Integer> waits = flow.steps(o -> isWait(o, copy.kind())).stream()
                .filter(s -> loop == 0 || flow.shareLoop(s, copy.step())).toList();
        if (waits.stream().anyMatch(s -> flow.mayPerform(run.values(copier), s))) {
            return null;
        }
        for (int step : waits) {
            for (CheckedThread other : copier.cluster.threads()) {
                if (other.block() == copier.block() && flow.surelyPerforms(run.values(other), step)
                        && !startsSuch(other, copy)) {
                    return new Misplaced(step, other.clock, false);
                }
            }
        }
        return null;
    }

    private static boolean isWait(Operation operation, Kind kind) {
        return operation instanceof Operation.Instruction i && kind.isWaitedForBy(i.form());
    }

    /** Whether a thread starts copies, or products, of the same sort itself. */
    private boolean startsSuch(CheckedThread thread, CopyCompletion copy) {
        return flow.operation(copy.step()) instanceof Operation.Instruction like
                && flow.steps(o -> o instanceof Operation.Instruction i
                        && i.form().getClass() == like.form().getClass()).stream()
                        .anyMatch(s -> flow.surelyPerforms(run.values(thread), s));
    }

    /** Says so, if a thread arrives where the other one waits, and touches the bytes after that. */
    boolean ofEarlyArrival(Race race) {
        CheckedThread waiter = run.thread(race.now().thread());
        CheckedThread other = run.thread(race.before().thread());
        BarrierWait wait = waiter.lastWait;
        if (wait == null || wait.vain() || waiter.cluster != other.cluster) {
            return false;
        }
        Barrier b = wait.barrier();
        Use use = other.cluster.log.of(other.clock, b.owner(), b.address());
        boolean early = use != null && use.arrivals > 0 && use.passes == 0
                && use.lastPhase < waiter.clock.hasSeenPhases(b.slot()) && race.before().time() >= use.arriveTime
                && flow.loopAround(use.arriveStep) == flow.loopAround(race.before().step())
                && flow.loopAround(wait.step()) == flow.loopAround(race.now().step());
        int stage = early ? stage(race.bytes(), b) : -1;
        if (early && use.arriveStep < race.before().step()) {
            races.arrivesBeforeTouching(race, use.arriveStep, b);
            return true;
        } else if (stage >= 0 && stage != number(b)) {
            races.touchesAnotherStage(race, wait.step(), b);
        } else if (stage >= 0) {
            races.touchesWhatItHandedOver(race, use.arriveStep, b);
        }
        return stage >= 0;
    }

    /** Says so, if a __syncthreads stands right before the wait after which it belongs. */
    boolean ofSync(Race race) {
        CopyCompletion copy = race.before().completion();
        GroupWait wait = copy.groups() == null ? null : copy.groups().lastWait();
        if (wait == null || !copy.isWaitedFor()) {
            return false;
        }
        Optional<Integer> sync = neighbouringSync(wait.step());
        sync.ifPresent(s -> races.syncBeforeTheWait(race, s, wait.step()));
        return sync.isPresent();
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

    private ThreadValues values(CheckedThread thread) {
        return run.values(thread);
    }
}
