package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.analysis.CheckedThread.Stays;
import dev.tilewright.hazard.analysis.WaitGraph.Awaited;
import dev.tilewright.hazard.analysis.WaitGraph.Node;
import dev.tilewright.hazard.analysis.CheckedCluster.Multicast;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.StuckFindings;
import dev.tilewright.hazard.report.StuckFindings.Link;
import dev.tilewright.hazard.report.StuckFindings.Waiting;
import dev.tilewright.program.Address;
import dev.tilewright.program.Input;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Why no thread can go on: the {@link WaitGraph} says what is not brought about, and what threads have done with
 * mbarriers before says whose arrival is missing and where it stands.
 */
final class StuckDiagnosis {
    private final RunState run;
    private final PhaseBytesCheck phaseBytes;
    private final StuckFindings findings;
    private final BarrierFindings barrierFindings;
    private final WaitGraph graph;
    private final ProgramFlow flow;
    private final BarrierSteps steps;

    StuckDiagnosis(TileProgram program, RunState run, PhaseBytesCheck phaseBytes, StuckFindings findings,
            BarrierFindings barrierFindings) {
        this.run = run;
        this.phaseBytes = phaseBytes;
        this.findings = findings;
        this.barrierFindings = barrierFindings;
        this.graph = new WaitGraph(program, run);
        this.flow = graph.flow;
        this.steps = graph.steps;
    }

    /** Says what is wrong. @return whether anything was found */
    boolean explain() {
        boolean explained = false;
        for (Node root : graph.roots()) {
            explained |= root(root);
        }
        for (List<Node> ring : graph.rings()) {
            explained |= ring(ring);
        }
        return explained;
    }

    // ---- what no thread can bring about any more

    private boolean root(Node node) {
        Waiting waiting = waiting(node);
        switch (node.awaited) {
            case Awaited.Phase(Barrier b) -> {
                return b.pendingArrivals() > 0 ? arrivalsMissing(node, b)
                        : b.pendingArrivals() == 0 && bytesMissing(node.first().cluster, b);
            }
            case Awaited.Sync _ -> findings.neverMeet(HazardCode.DEADLOCK, waiting, "__syncthreads()", ended(node),
                    guard(waiting.step()));
            case Awaited.Warp _ -> findings.neverMeet(HazardCode.WARP_DIVERGED, waiting,
                    "a step that lanes of a warp perform together", List.of(), guard(waiting.step()));
            case Awaited.Named(int block, int barrier, int step) -> {
                OptionalLong threads = graph.threadsAt(step, node.first());
                findings.tooFewCome(waiting, barrier, threads, node.first().cluster.block(block).named(barrier).came(),
                        graph.forOthers(barrier, threads), guard(waiting.step()));
            }
            case Awaited.ClusterBarrier _ -> findings.neverMeet(HazardCode.DEADLOCK, waiting, "the cluster's barrier",
                    List.of(), guard(waiting.step()));
            case Awaited.Value(int step) -> valueNeverComes(node, step);
        }
        return true;
    }

    /** Names the step that stored the value last; where that cannot be told, those that may store there. */
    private void valueNeverComes(Node node, int step) {
        Stays stays = node.first().stays;
        if (stays == null || stays.stored() == null) {
            findings.valueNeverComes(waiting(node), graph.writers(step));
        } else {
            findings.valueStays(waiting(node), stays.value(), stays.stored().thread(), stays.stored().step());
        }
    }

    private static Waiting waiting(Node node) {
        return new Waiting(clocks(node.waiters), node.first().stuck.step());
    }

    private static List<ThreadClock> clocks(List<CheckedThread> threads) {
        return threads.stream().map(t -> t.clock).toList();
    }

    /** Threads that have ended, of the block of those who wait. */
    private static List<ThreadClock> ended(Node node) {
        CheckedThread first = node.first();
        return clocks(first.cluster.threads().stream().filter(t -> t.exited && t.block() == first.block()).toList());
    }

    private int guard(int step) {
        for (int at = flow.around(step); at != 0; at = flow.around(at)) {
            if (flow.operation(at) instanceof Operation.Guard) {
                return at;
            }
        }
        return 0;
    }

    private boolean bytesMissing(CheckedCluster cluster, Barrier b) {
        int rank = cluster.rank(b.owner());
        if (b.bytes().started() < b.bytes().announced()) {
            for (Multicast copy : cluster.multicasts) {
                if (copy.barrier() == b.address() && (copy.mask() >>> rank & 1) == 0) {
                    barrierFindings.multicastLeavesOut(b, copy.step(), copy.mask(), rank);
                    return true;
                }
            }
            Barrier other = withTooManyBytes(cluster, b);
            if (other != null) {
                barrierFindings.bytesGoElsewhere(b, other);
                return true;
            }
        }
        return phaseBytes.check(cluster, b);
    }

    /**
     * Another mbarrier of the same region to which more bytes come than are announced there, or those of a thread that
     * now waits for this one; null for none.
     */
    private Barrier withTooManyBytes(CheckedCluster cluster, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        Barrier instead = null;
        for (Barrier other : cluster.block(b.owner()).barriers()) {
            BarrierSteps.At otherAt = steps.at(other.address());
            if (at != null && other != b && otherAt != null && otherAt.region().equals(at.region())) {
                if (other.bytes().started() > other.bytes().announced() || other.shortPhase() != null) {
                    return other;
                }
                if (isBroughtInstead(b, other)) {
                    instead = other;
                }
            }
        }
        return instead;
    }

    /**
     * Whether a thread has brought bytes to one mbarrier, and now waits for another, which nothing was brought to, by
     * what its step may be for as well.
     */
    private boolean isBroughtInstead(Barrier b, Barrier other) {
        CopyCompletion copy = other.bytes().lastCounted();
        if (copy == null || b.bytes().started() > 0
                || !steps.bringing(steps.at(b.address())).contains(copy.step())) {
            return false;
        }
        CheckedThread thread = run.thread(copy.thread());
        Use passes = thread.cluster.log.of(thread.clock, thread.block(), other.address());
        return thread.blocked != null && thread.blocked.barrier().address() == b.address()
                && (passes == null || passes.passes == 0);
    }

    // ---- arrivals

    private boolean arrivalsMissing(Node node, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        if (at == null) {
            return false;
        }
        if (isWaitForAnotherPhase(node.first(), b)) {
            CheckedThread waiter = node.first();
            barrierFindings.parityNeverComes(waiter.clock, waiter.stuck.step(), waiter.blocked.parity(), b);
            return true;
        }
        List<Integer> arriving = steps.arriving(at);
        CheckedCluster cluster = node.first().cluster;
        if (arriving.isEmpty()) {
            if (!elsewhere(waiting(node), b, cluster.threads(), steps.arrivingNear(at))) {
                noStepArrives(node, b);
            }
            return true;
        }
        if (onlyAddedArrivals(node, b)) {
            return true;
        }
        Map<ThreadClock, Use> uses = cluster.log.of(b.owner(), b.address());
        List<CheckedThread> arrived = new ArrayList<>();
        List<CheckedThread> absent = new ArrayList<>();
        List<CheckedThread> never = new ArrayList<>();
        for (CheckedThread thread : cluster.threads()) {
            Use use = uses.get(thread.clock);
            if (use != null && use.hasArrivedIn(b.phase())) {
                arrived.add(thread);
            } else if (use != null && use.arrivals > 0) {
                absent.add(thread);
            } else if (arriving.stream().anyMatch(s -> flow.mayPerform(graph.values(thread), s)
                    && (thread.block() == b.owner() || steps.mayReachOthers(s))) && !arrivesInAnotherBlock(thread, b)) {
                never.add(thread);
            }
        }
        Waiting waiting = waiting(node);
        if (!absent.isEmpty()) {
            int step = uses.get(absent.getFirst().clock).arriveStep;
            if (!elsewhere(waiting, b, absent, arriving)) {
                findings.arriveNoMore(b, waiting, clocks(absent), step, absent.stream().allMatch(t -> t.exited));
            }
        } else if (!elsewhere(waiting, b, never, arriving)) {
            List<CheckedThread> sure = arrived.isEmpty() ? never : surely(never, arriving);
            if (!sure.isEmpty()) {
                int step = stepOf(sure.getFirst(), arriving);
                findings.wentPast(b, waiting, clocks(sure), step, guard(step));
            } else {
                wrongCount(waiting, b, arrived, uses, arriving.getFirst());
            }
        }
        return true;
    }

    /** Says so, if whatever arrives there is counted in addition to the arrivals that a phase takes. */
    private boolean onlyAddedArrivals(Node node, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        List<Integer> arriving = at == null || b.pendingArrivals() <= 0 ? List.of() : steps.arriving(at);
        if (arriving.isEmpty() || !arriving.stream().allMatch(this::isCountedInAddition)) {
            return false;
        }
        findings.onlyAddedArrivals(b, waiting(node), arriving.getFirst());
        return true;
    }

    /** Whether a step's arrival is counted in addition to those that an mbarrier was initialised for. */
    private boolean isCountedInAddition(int step) {
        return flow.operation(step) instanceof Operation.Instruction i
                && i.form() instanceof CpAsyncMbarrierArrive form && !form.noinc();
    }

    /** Whether a thread has arrived at the same mbarrier of another block. */
    private static boolean arrivesInAnotherBlock(CheckedThread thread, Barrier b) {
        return thread.cluster.blocks().stream().anyMatch(block -> {
            Use use = block.index == b.owner() ? null : thread.cluster.log.of(thread.clock, block.index, b.address());
            return use != null && use.arrivals > 0;
        });
    }

    /** Whether a thread waits for a phase that no thread has begun, and has waited for none before. */
    private static boolean hasSkippedAPhase(CheckedThread waiter, Barrier b) {
        Use use = waiter.cluster.log.of(waiter.clock, b.owner(), b.address());
        return isWaitForAnotherPhase(waiter, b) && (use == null || use.passes == 0);
    }

    /** Whether a wait for a parity passes with the other one, and no thread has begun the phase that it waits for. */
    private static boolean isWaitForAnotherPhase(CheckedThread waiter, Barrier b) {
        boolean untouched = b.pendingArrivals() == b.expectedArrivals() && b.bytes().announced() == 0
                && b.bytes().started() == 0;
        if (waiter.blocked.parity() < 0 || b.phase() == 0 || !untouched) {
            return false;
        }
        Use use = waiter.cluster.log.of(waiter.clock, b.owner(), b.address());
        return use == null || use.passStep != waiter.stuck.step()
                || waiter.clock.knows(b.cluster(), b.slot(), Clock.IN_TIME) < b.phase();
    }

    private void noStepArrives(Node node, Barrier b) {
        Waiting waiting = waiting(node);
        if (b.bytes().announced() > 0) {
            findings.onlyBytesCome(b, waiting, b.bytes().announcer(), b.bytes().announceStep(), true);
        } else if (b.bytes().started() > 0) {
            findings.onlyBytesCome(b, waiting, b.bytes().lastCounted().thread(), b.bytes().lastCounted().step(), false);
        } else {
            List<CheckedThread> should = graph.dependentOn(node);
            if (should.isEmpty()) {
                int written = lastWriteOfOthers(node);
                findings.noStepArrives(b, waiting, null, written == 0 ? waiting.step() : written);
            } else {
                if (!arrivesAtItsOwn(node, b, waiting, should)) {
                    int step = waitFor(should.getFirst(), node);
                    int read = flow.lastAfter(step, StuckDiagnosis::readsShared);
                    int later = read != 0 ? read : flow.lastAfter(step, StuckDiagnosis::writesShared);
                    int written = later != 0 ? later : flow.lastBefore(step, StuckDiagnosis::writesShared);
                    findings.noStepArrives(b, waiting, new Waiting(clocks(should), should.getFirst().stuck.step()),
                            written == 0 ? step : written);
                }
            }
        }
    }

    /** The last step in which threads of the block write shared memory that do not wait; 0 for none. */
    private int lastWriteOfOthers(Node node) {
        List<CheckedThread> others = node.first().cluster.threads().stream()
                .filter(t -> t.block() == node.first().block() && !node.waiters.contains(t)).toList();
        return flow.steps(StuckDiagnosis::writesShared).stream()
                .filter(s -> others.stream().anyMatch(t -> flow.surelyPerforms(graph.values(t), s)))
                .reduce(0, (_, last) -> last);
    }

    /** The wait of a thread for what those arrive at who wait now: its last that passed, or where it is. */
    private int waitFor(CheckedThread thread, Node node) {
        for (Barrier each : thread.cluster.block(thread.block()).barriers()) {
            Use passes = thread.cluster.log.of(thread.clock, each.owner(), each.address());
            Use arrivals = thread.cluster.log.of(node.first().clock, each.owner(), each.address());
            if (passes != null && passes.passes > 0 && passes.arrivals == 0 && arrivals != null
                    && arrivals.arrivals > 0) {
                return passes.passStep;
            }
        }
        return thread.stuck.step();
    }

    /** Says so, if those who should arrive do so at an mbarrier for which they wait themselves. */
    private boolean arrivesAtItsOwn(Node node, Barrier b, Waiting waiting, List<CheckedThread> should) {
        CheckedThread thread = should.getFirst();
        for (Barrier other : thread.cluster.block(b.owner()).barriers()) {
            Use use = thread.cluster.log.of(thread.clock, other.owner(), other.address());
            Use others = thread.cluster.log.of(node.first().clock, other.owner(), other.address());
            if (other != b && use != null && use.arrivals > 0 && use.passes > 0
                    && (others == null || others.passes == 0)) {
                findings.arrivedElsewhere(b, waiting, clocks(should), use.arriveStep, other.name());
                return true;
            }
        }
        return false;
    }

    private static boolean readsShared(Operation operation) {
        return switch (operation) {
            case Operation.Loading load -> load.from() instanceof Address.Shared;
            case Operation.Instruction i -> i.form().effects().accesses().stream()
                    .anyMatch(a -> a.mode() == Effects.Mode.READ) && i.inputs().stream()
                            .anyMatch(in -> in instanceof Input.Place(Address.Shared _));
            case Operation.Let _, Operation.Loop _, Operation.Guard _, Operation.Call _, Operation.SyncThreads _,
                    Operation.While _, Operation.Break _, Operation.Computation _, Operation.Storing _ ->
                    false;
        };
    }

    /** Says so, if the arrivals of these threads went to another mbarrier of the same region. */
    private boolean elsewhere(Waiting waiting, Barrier b, List<CheckedThread> threads, List<Integer> arriving) {
        BarrierSteps.At at = steps.at(b.address());
        for (CheckedThread thread : threads) {
            for (Barrier other : thread.cluster.block(b.owner()).barriers()) {
                BarrierSteps.At otherAt = steps.at(other.address());
                Use use = other == b ? null : thread.cluster.log.of(thread.clock, other.owner(), other.address());
                if (use != null && use.arrivals > 0 && otherAt != null && otherAt.region().equals(at.region())
                        && arriving.contains(use.arriveStep) && isSurplus(thread, other, use)) {
                    List<CheckedThread> same = threads.stream().filter(t -> hasArrivedBy(t, other, use.arriveStep))
                            .toList();
                    findings.arrivedElsewhere(b, waiting, clocks(same), use.arriveStep, other.name());
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean hasArrivedBy(CheckedThread thread, Barrier other, int step) {
        Use use = thread.cluster.log.of(thread.clock, other.owner(), other.address());
        return use != null && use.arriveStep == step;
    }

    /** Whether a thread arrived at an mbarrier more often than it passed waits for those with the same number. */
    private boolean isSurplus(CheckedThread thread, Barrier barrier, Use use) {
        BarrierSteps.At at = steps.at(barrier.address());
        long passes = 0;
        boolean any = false;
        for (Barrier other : thread.cluster.block(barrier.owner()).barriers()) {
            BarrierSteps.At otherAt = steps.at(other.address());
            if (otherAt != null && !otherAt.region().equals(at.region()) && otherAt.offset() == at.offset()) {
                Use its = thread.cluster.log.of(thread.clock, other.owner(), other.address());
                any |= its != null;
                passes = Math.max(passes, its == null ? 0 : its.passes);
            }
        }
        return any && use.arrivals > passes;
    }

    /** Those that no guard, known or not, keeps from all of these steps. */
    private List<CheckedThread> surely(List<CheckedThread> threads, List<Integer> arriving) {
        return threads.stream().filter(t -> arriving.stream()
                .anyMatch(s -> flow.surelyPerforms(graph.values(t), s))).toList();
    }

    private int stepOf(CheckedThread thread, List<Integer> arriving) {
        return arriving.stream().filter(s -> flow.mayPerform(graph.values(thread), s)).findFirst()
                .orElse(arriving.getFirst());
    }

    /** Every thread that may arrive has: either the count is wrong, or too few threads may. */
    private void wrongCount(Waiting waiting, Barrier b, List<CheckedThread> arrived, Map<ThreadClock, Use> uses,
            int first) {
        if (arrived.isEmpty()) {
            findings.noThreadArrives(b, waiting, first, guard(first));
            return;
        }
        int step = uses.get(arrived.getFirst().clock).arriveStep;
        long came = b.expectedArrivals() - b.pendingArrivals();
        Set<Long> groups = groups(arrived.getFirst().cluster, b);
        if (groups.contains(b.expectedArrivals()) && !groups.contains(came)) {
            findings.tooFewArrive(b, waiting, clocks(arrived), step, guard(step));
        } else {
            findings.initialisedForMore(b, waiting, clocks(arrived), step);
        }
    }

    /** How many threads wait for one mbarrier of the block, of each. */
    private Set<Long> groups(CheckedCluster cluster, Barrier b) {
        Set<Long> sizes = new HashSet<>();
        for (Barrier each : cluster.block(b.owner()).barriers()) {
            sizes.add(cluster.threads().stream().filter(t -> waitsFor(t, each)).count());
        }
        return sizes;
    }

    private static boolean waitsFor(CheckedThread thread, Barrier b) {
        Use use = thread.cluster.log.of(thread.clock, b.owner(), b.address());
        return use != null && use.passes > 0
                || thread.stuck != null && thread.blocked != null && thread.blocked.barrier() == b;
    }

    // ---- what only waits for itself

    private boolean ring(List<Node> ring) {
        for (Node node : ring) {
            if (node.awaited instanceof Awaited.Phase(Barrier b)
                    && (onlyAddedArrivals(node, b) || lostArrivals(node, b))) {
                return true;
            }
        }
        if (takesTurnsAtTheStart(ring)) {
            return true;
        }
        if (ring.size() == 1) {
            return waitsForItself(ring.getFirst());
        }
        for (Node node : ring) {
            if (node.awaited instanceof Awaited.Phase(Barrier b) && onlyOthersAreMissing(node, b)) {
                return true;
            }
        }
        if (waitsBeforeTheFirst(ring)) {
            return true;
        }
        for (Node node : ring) {
            if (node.awaited instanceof Awaited.Phase(Barrier b) && hasSkippedAPhase(node.first(), b)) {
                CheckedThread waiter = node.first();
                barrierFindings.parityNeverComes(waiter.clock, waiter.stuck.step(), waiter.blocked.parity(), b);
                return true;
            }
        }
        findings.ring(links(ring));
        return true;
    }

    /**
     * Says so, if the first phase has arrivals, and all threads that have not arrived wait for a later one of the
     * mbarrier with the same number, and took no part in this one: it was initialised for more than a phase gets.
     */
    private boolean onlyOthersAreMissing(Node node, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        if (at == null || b.pendingArrivals() <= 0 || b.pendingArrivals() == b.expectedArrivals()) {
            return false;
        }
        Map<ThreadClock, Use> uses = node.first().cluster.log.of(b.owner(), b.address());
        List<CheckedThread> arrived = node.first().cluster.threads().stream()
                .filter(t -> uses.get(t.clock) != null && uses.get(t.clock).hasArrivedIn(b.phase())).toList();
        if (arrived.isEmpty() || !node.suppliers.stream().allMatch(t -> isForLaterPhase(t, b, at))) {
            return false;
        }
        findings.initialisedForMore(b, waiting(node), clocks(arrived), uses.get(arrived.getFirst().clock).arriveStep);
        return true;
    }

    /** Whether a thread waits for a later phase of the mbarrier with the same number, and for none before. */
    private boolean isForLaterPhase(CheckedThread thread, Barrier b, BarrierSteps.At at) {
        Barrier waited = thread.blocked == null ? null : thread.blocked.barrier();
        BarrierSteps.At waitedAt = waited == null ? null : steps.at(waited.address());
        if (waitedAt == null || waited == b || !waitedAt.equals(at.sameOf(waitedAt.region()))) {
            return false;
        }
        Use passes = thread.cluster.log.of(thread.clock, waited.owner(), waited.address());
        return waited.phase() > b.phase() && (passes == null || passes.passes == 0);
    }

    /**
     * Says so, if threads wait in one step for the first phases of several mbarriers of one array, at which each is to
     * arrive for another: none has the first turn.
     */
    private boolean takesTurnsAtTheStart(List<Node> ring) {
        Node first = ring.getFirst();
        if (!(first.awaited instanceof Awaited.Phase(Barrier b)) || !isUntouched(b)
                || first.first().blocked.parity() < 0 || steps.at(b.address()) == null) {
            return false;
        }
        int step = first.first().stuck.step();
        List<Node> others = first.reached().stream().filter(n -> n != first).toList();
        if (others.isEmpty() || !others.stream().allMatch(n -> n.awaited instanceof Awaited.Phase(Barrier other)
                && n.first().stuck.step() == step && isUntouched(other) && steps.at(other.address()) != null
                && steps.at(other.address()).region().equals(steps.at(b.address()).region()))) {
            return false;
        }
        List<CheckedThread> suppliers = first.suppliers.stream().filter(t -> !first.waiters.contains(t)).toList();
        int arrival = suppliers.isEmpty() ? 0 : supply(suppliers.getFirst(), b);
        if (arrival == 0) {
            return false;
        }
        findings.noneHasTheFirstTurn(b, waiting(first), first.first().blocked.parity(),
                clocks(suppliers), arrival);
        return true;
    }

    private static boolean isUntouched(Barrier b) {
        return b.phase() == 0 && b.pendingArrivals() == b.expectedArrivals();
    }

    /** Says so, if suppliers have passed their waits more often than they have arrived here. */
    private boolean lostArrivals(Node node, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        List<Integer> arriving = at == null || b.pendingArrivals() == 0 ? List.of() : steps.arriving(at);
        if (arriving.isEmpty()) {
            return false;
        }
        List<CheckedThread> lost = node.suppliers.stream().filter(t -> hasLost(t, b, at)).toList();
        if (lost.isEmpty()) {
            return false;
        }
        Waiting waiting = waiting(node);
        if (!elsewhere(waiting, b, lost, arriving)) {
            int step = stepOf(lost.getFirst(), arriving);
            findings.wentPast(b, waiting, clocks(lost), step, guard(step));
        }
        return true;
    }

    /** Whether a thread waits again for what it has waited for, and did not arrive in between as it did before. */
    private boolean hasLost(CheckedThread thread, Barrier b, BarrierSteps.At at) {
        if (thread.blocked == null || thread.blocked.barrier() == b) {
            return false;
        }
        Barrier waited = thread.blocked.barrier();
        BarrierSteps.At waitedAt = steps.at(waited.address());
        if (waitedAt == null) {
            return false;
        }
        BarrierSteps.At same = waitedAt.region().equals(at.region()) ? waitedAt : at.sameOf(waitedAt.region());
        if (same == null) {
            return false;
        }
        Use passes = thread.cluster.log.of(thread.clock, waited.owner(), steps.address(same));
        Use arrivals = thread.cluster.log.of(thread.clock, b.owner(), b.address());
        return passes != null && passes.passes > (arrivals == null ? 0 : arrivals.arrivals);
    }

    /** Threads wait for what they are to bring about themselves. */
    private boolean waitsForItself(Node node) {
        if (node.awaited instanceof Awaited.Value(int step)) {
            valueNeverComes(node, step);
            return true;
        }
        if (!(node.awaited instanceof Awaited.Phase(Barrier b))) {
            findings.ring(links(List.of(node)));
            return true;
        }
        BarrierSteps.At at = steps.at(b.address());
        int wait = node.first().stuck.step();
        List<Integer> arriving = at == null ? List.of() : steps.arriving(at);
        for (CheckedThread thread : b.pendingArrivals() > 0 ? node.suppliers : List.<CheckedThread>of()) {
            for (int step : arriving) {
                if (step > wait && flow.mayStillPerform(graph.values(thread), wait, step)) {
                    findings.arrivesAfterItsWait(b, new Waiting(clocks(node.suppliers), wait), step);
                    return true;
                }
            }
        }
        if (arriving.isEmpty() || b.pendingArrivals() <= 0) {
            return bytesMissing(node.first().cluster, b);
        }
        int step = stepOf(node.suppliers.getFirst(), arriving);
        findings.wentPast(b, waiting(node), clocks(node.suppliers), step, guard(step));
        return true;
    }

    /** Nothing has been filled, and those who fill wait until it is handed back. */
    private boolean waitsBeforeTheFirst(List<Node> ring) {
        Node filler = null;
        for (Node node : ring) {
            if (!(node.awaited instanceof Awaited.Phase(Barrier b)) || b.phase() > 0) {
                return false;
            }
            Node supplied = ring.get((ring.indexOf(node) + ring.size() - 1) % ring.size());
            if (node.first().blocked.parity() >= 0 && fills(node, supplied)) {
                if (filler != null) {
                    return false;
                }
                filler = node;
            }
        }
        if (filler == null) {
            return false;
        }
        Node back = ring.get((ring.indexOf(filler) + 1) % ring.size());
        Barrier b = ((Awaited.Phase) filler.awaited).barrier();
        findings.waitsBeforeTheFirst(b, waiting(filler), filler.first().blocked.parity(), link(filler, back),
                waiting(back));
        return true;
    }

    /** Whether those who wait write shared memory, or start copies, before they arrive for others. */
    private boolean fills(Node node, Node supplied) {
        if (!(supplied.awaited instanceof Awaited.Phase(Barrier b)) || steps.at(b.address()) == null) {
            return false;
        }
        CheckedThread thread = node.first();
        int wait = thread.stuck.step();
        BarrierSteps.At at = steps.at(b.address());
        if (steps.bringing(at).stream().anyMatch(s -> flow.mayStillPerform(graph.values(thread), wait, s))) {
            return true;
        }
        int last = steps.arriving(at).stream().filter(s -> s > wait).mapToInt(s -> s).min().orElse(wait);
        return flow.steps(StuckDiagnosis::writesShared).stream()
                .anyMatch(s -> s > wait && s < last && flow.mayStillPerform(graph.values(thread), wait, s));
    }

    private static boolean writesShared(Operation operation) {
        return switch (operation) {
            case Operation.Storing store -> store.to() instanceof Address.Shared;
            case Operation.Instruction i -> i.form().effects().accesses().stream()
                    .anyMatch(a -> a.mode() != Effects.Mode.READ && !a.operand().equals("mbar")) && i.inputs().stream()
                            .anyMatch(in -> in instanceof Input.Place(Address.Shared _));
            case Operation.Let _, Operation.Loop _, Operation.Guard _, Operation.Call _, Operation.SyncThreads _,
                    Operation.While _, Operation.Break _, Operation.Computation _, Operation.Loading _ ->
                    false;
        };
    }

    private List<Link> links(List<Node> ring) {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < ring.size(); i++) {
            links.add(link(ring.get(i), ring.get((i + 1) % ring.size())));
        }
        return links;
    }

    /** @param next what those wait for who could bring about the first */
    private Link link(Node node, Node next) {
        CheckedThread supplier = node.suppliers.stream().filter(next.waiters::contains).findFirst()
                .orElse(next.first());
        int supply = switch (node.awaited) {
            case Awaited.Phase(Barrier b) -> supply(supplier, b);
            case Awaited.Value(int step) -> graph.writers(step).stream()
                    .filter(s -> flow.mayStillPerform(graph.values(supplier), supplier.stuck.step(), s)).findFirst()
                    .orElse(0);
            case Awaited.Sync(int _, int step) -> step;
            case Awaited.Warp(int _, int _, int step) -> step;
            case Awaited.Named(int _, int _, int step) -> step;
            case Awaited.ClusterBarrier(int _, int step) -> step;
        };
        Barrier barrier = node.awaited instanceof Awaited.Phase(Barrier b) ? b : null;
        return new Link(waiting(node), barrier, supplier.clock, supply);
    }

    private int supply(CheckedThread thread, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        List<Integer> any = at == null ? List.of() : b.pendingArrivals() > 0 ? steps.arriving(at) : steps.bringing(at);
        return any.stream().filter(s -> flow.mayStillPerform(graph.values(thread), thread.stuck.step(), s)).findFirst()
                .orElse(0);
    }
}
