package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.analysis.WaitGraph.Node;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.PhaseBytes;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.BarrierFindings;
import dev.tilewright.hazard.report.Draft;
import dev.tilewright.hazard.report.StuckFindings.Waiting;
import dev.tilewright.hazard.report.StuckFindings;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is wrong where a phase of an mbarrier lacks arrivals: whose is missing, and where it stands. */
final class MissingArrivals {
    private final StuckFindings findings;
    private final BarrierFindings barrierFindings;
    private final WaitGraph graph;
    private final ProgramFlow flow;
    private final BarrierSteps steps;

    MissingArrivals(WaitGraph graph, StuckFindings findings, BarrierFindings barrierFindings) {
        this.findings = findings;
        this.barrierFindings = barrierFindings;
        this.graph = graph;
        this.flow = graph.flow;
        this.steps = graph.steps;
    }

    /**
     * What to say of a phase that lacks arrivals and that no thread can still complete; null where that is not known.
     */
    Draft missing(Node node, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        if (at == null) {
            return null;
        }
        Draft otherwise = isWaitForAnotherPhase(node.first(), b) ? parityNeverComes(node, b)
                : onlyAddedArrivals(node, b);
        if (otherwise != null) {
            return otherwise;
        }
        List<Integer> arriving = steps.arriving(at);
        CheckedCluster cluster = node.first().cluster;
        Waiting waiting = node.waiting();
        if (arriving.isEmpty()) {
            Draft near = elsewhere(waiting, b, cluster.threads(), steps.arrivingNear(at));
            return near != null ? near : noStepArrives(node, b);
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
        Draft elsewhere = elsewhere(waiting, b, absent.isEmpty() ? never : absent, arriving);
        if (elsewhere != null) {
            return elsewhere;
        }
        if (!absent.isEmpty()) {
            int step = uses.get(absent.getFirst().clock).arriveStep;
            return findings.arriveNoMore(b, waiting, WaitGraph.clocks(absent), step,
                    absent.stream().allMatch(t -> t.exited));
        }
        List<CheckedThread> sure = arrived.isEmpty() ? never : surely(never, arriving);
        return sure.isEmpty() ? wrongCount(waiting, b, arrived, uses, arriving.getFirst())
                : wentPast(waiting, b, sure, arriving);
    }

    /** What to say if whatever arrives there is counted in addition to the arrivals that a phase takes. */
    Draft onlyAddedArrivals(Node node, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        List<Integer> arriving = at == null || b.pendingArrivals() <= 0 ? List.of() : steps.arriving(at);
        if (arriving.isEmpty() || !arriving.stream().allMatch(this::isCountedInAddition)) {
            return null;
        }
        int step = arriving.getFirst();
        return findings.onlyAddedArrivals(b, node.waiting(), step,
                flow.lastBefore(step, ArrivalCulprits::storesShared) != 0);
    }

    /** Whether a step's arrival comes on top of the count that an mbarrier was initialised for. */
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
    static boolean hasSkippedAPhase(CheckedThread waiter, Barrier b) {
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

    Draft parityNeverComes(Node node, Barrier b) {
        CheckedThread waiter = node.first();
        return barrierFindings.parityNeverComes(waiter.clock, waiter.stuck.step(), waiter.blocked.parity(), b);
    }

    private Draft noStepArrives(Node node, Barrier b) {
        Waiting waiting = node.waiting();
        PhaseBytes bytes = b.bytes();
        if (bytes.announced() > 0) {
            return findings.onlyBytesCome(b, waiting, bytes.announcer(), bytes.announceStep(), true);
        }
        if (bytes.started() > 0) {
            return findings.onlyBytesCome(b, waiting, bytes.lastCounted().thread(), bytes.lastCounted().step(), false);
        }
        List<CheckedThread> should = graph.dependentOn(node);
        if (should.isEmpty()) {
            return noStepArrives(b, waiting, null, lastWriteOfOthers(node));
        }
        Draft own = arrivesAtItsOwn(node, b, waiting, should);
        if (own != null) {
            return own;
        }
        int step = waitFor(should.getFirst(), node);
        int read = flow.lastAfter(step, MissingArrivals::readsShared);
        int later = read != 0 ? read : flow.lastAfter(step, MissingArrivals::writesShared);
        int written = later != 0 ? later : flow.lastBefore(step, MissingArrivals::writesShared);
        return noStepArrives(b, waiting, new Waiting(WaitGraph.clocks(should), should.getFirst().stuck.step()),
                written == 0 ? step : written);
    }

    private Draft noStepArrives(Barrier b, Waiting waiting, Waiting should, int last) {
        boolean copies = last != 0 && flow.operation(last) instanceof Operation.Instruction i
                && i.form() instanceof CpAsync;
        // Behind a loop of its own, not in each turn of that.
        int place = should == null || last == 0 ? 0 : flow.placeBetween(last, should.step());
        int behind = place == 0 ? last : place;
        // A proxy fence tells the copy engine of what was written, before others are told.
        int next = behind == 0 ? 0 : flow.behind(behind);
        boolean fenced = next != 0 && flow.operation(next) instanceof Operation.Instruction i
                && i.form() instanceof FenceProxyAsync;
        return findings.noStepArrives(b, waiting, should, fenced ? next : behind, copies);
    }

    /** The last step in which threads of the block write shared memory that do not wait; 0 for none. */
    private int lastWriteOfOthers(Node node) {
        List<CheckedThread> others = node.first().cluster.threads().stream()
                .filter(t -> t.block() == node.first().block() && !node.waiters.contains(t)).toList();
        return flow.steps(MissingArrivals::writesShared).stream()
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

    /** What to say if those who should arrive do so at an mbarrier for which they wait themselves. */
    private Draft arrivesAtItsOwn(Node node, Barrier b, Waiting waiting, List<CheckedThread> should) {
        CheckedThread thread = should.getFirst();
        for (Barrier other : thread.cluster.block(b.owner()).barriers()) {
            Use use = thread.cluster.log.of(thread.clock, other.owner(), other.address());
            Use others = thread.cluster.log.of(node.first().clock, other.owner(), other.address());
            if (other != b && use != null && use.arrivals > 0 && use.passes > 0
                    && (others == null || others.passes == 0)) {
                return findings.arrivedElsewhere(b, waiting, WaitGraph.clocks(should), use.arriveStep, other.name());
            }
        }
        return null;
    }

    private static boolean readsShared(Operation operation) {
        return namesShared(operation) && operation.accesses().stream().anyMatch(a -> a.mode() == Effects.Mode.READ
                && operation.given(a.operand()).flatMap(Input::place).map(Address.Shared.class::isInstance)
                .orElse(true));
    }

    static boolean writesShared(Operation operation) {
        return namesShared(operation) && operation.accesses().stream()
                .anyMatch(a -> a.mode() != Effects.Mode.READ && !a.operand().equals("mbar"));
    }

    private static boolean namesShared(Operation operation) {
        return operation.addresses().stream().anyMatch(Address.Shared.class::isInstance);
    }

    /** What to say if the arrivals of these threads went to another mbarrier of the same region. */
    private Draft elsewhere(Waiting waiting, Barrier b, List<CheckedThread> threads, List<Integer> arriving) {
        BarrierSteps.At at = steps.at(b.address());
        for (CheckedThread thread : threads) {
            for (Barrier other : thread.cluster.block(b.owner()).barriers()) {
                BarrierSteps.At otherAt = steps.at(other.address());
                Use use = other == b ? null : thread.cluster.log.of(thread.clock, other.owner(), other.address());
                if (use != null && use.arrivals > 0 && otherAt != null && otherAt.region().equals(at.region())
                        && arriving.contains(use.arriveStep) && isSurplus(thread, other, use)) {
                    List<CheckedThread> same = threads.stream().filter(t -> hasArrivedBy(t, other, use.arriveStep))
                            .toList();
                    return findings.arrivedElsewhere(b, waiting, WaitGraph.clocks(same), use.arriveStep, other.name());
                }
            }
        }
        return null;
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

    /** The threads that no guard, known or not, keeps from all of these steps. */
    private List<CheckedThread> surely(List<CheckedThread> threads, List<Integer> arriving) {
        return threads.stream().filter(t -> arriving.stream()
                .anyMatch(s -> flow.surelyPerforms(graph.values(t), s))).toList();
    }

    private int stepOf(CheckedThread thread, List<Integer> arriving) {
        return arriving.stream().filter(s -> flow.mayPerform(graph.values(thread), s)).findFirst()
                .orElse(arriving.getFirst());
    }

    /** Every thread that may arrive has: either the count is wrong, or too few threads may. */
    private Draft wrongCount(Waiting waiting, Barrier b, List<CheckedThread> arrived, Map<ThreadClock, Use> uses,
            int first) {
        if (arrived.isEmpty()) {
            return findings.noThreadArrives(b, waiting, first, flow.guardAround(first));
        }
        int step = uses.get(arrived.getFirst().clock).arriveStep;
        long came = b.expectedArrivals() - b.pendingArrivals();
        Set<Long> groups = groups(arrived.getFirst().cluster, b);
        return groups.contains(b.expectedArrivals()) && !groups.contains(came)
                ? findings.tooFewArrive(b, waiting, WaitGraph.clocks(arrived), step, flow.guardAround(step))
                : findings.initialisedForMore(b, waiting, WaitGraph.clocks(arrived), step);
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

    /**
     * What to say if the first phase has arrivals, and all threads that have not arrived wait for a later one of the
     * mbarrier with the same number, and took no part in this one: it was initialised for more than a phase gets.
     */
    Draft onlyOthersAreMissing(Node node, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        if (at == null || b.pendingArrivals() <= 0 || b.pendingArrivals() == b.expectedArrivals()) {
            return null;
        }
        Map<ThreadClock, Use> uses = node.first().cluster.log.of(b.owner(), b.address());
        List<CheckedThread> arrived = node.first().cluster.threads().stream()
                .filter(t -> uses.get(t.clock) != null && uses.get(t.clock).hasArrivedIn(b.phase())).toList();
        if (arrived.isEmpty() || !node.suppliers.stream().allMatch(t -> isForLaterPhase(t, b, at))) {
            return null;
        }
        return findings.initialisedForMore(b, node.waiting(), WaitGraph.clocks(arrived),
                uses.get(arrived.getFirst().clock).arriveStep);
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

    /** What to say if suppliers have passed their waits more often than they have arrived here. */
    Draft lostArrivals(Node node, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        List<Integer> arriving = at == null || b.pendingArrivals() == 0 ? List.of() : steps.arriving(at);
        List<CheckedThread> lost = arriving.isEmpty() ? List.of()
                : node.suppliers.stream().filter(t -> hasLost(t, b, at)).toList();
        if (lost.isEmpty()) {
            return null;
        }
        Draft elsewhere = elsewhere(node.waiting(), b, lost, arriving);
        return elsewhere != null ? elsewhere : wentPast(node.waiting(), b, lost, arriving);
    }

    Draft wentPast(Waiting waiting, Barrier b, List<CheckedThread> threads, List<Integer> arriving) {
        int step = stepOf(threads.getFirst(), arriving);
        // Threads that reach it have arrived at another block's or stage's, or reach it only after they have waited.
        boolean come = threads.stream().allMatch(t -> flow.surelyPerforms(graph.values(t), step));
        return findings.wentPast(b, waiting, WaitGraph.clocks(threads), step, come ? 0 : flow.guardAround(step));
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
}
