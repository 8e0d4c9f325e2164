package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.PhaseBytes;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.flow.ThreadValues;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.StuckFindings.Waiting;
import dev.tilewright.program.Operation.Instruction;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import dev.tilewright.reference.observe.ExecutionObserver.Waits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Who waits for whom when no thread can go on. A node is something that threads wait for: a phase of an mbarrier, a
 * meeting, a value. Its suppliers are the threads that could still bring it about, and themselves wait for something
 * else. What no thread could still bring about, or what only a ring of such nodes could, is where the mistake is.
 */
final class WaitGraph {

    /** What threads wait for. */
    sealed interface Awaited {
        record Phase(Barrier barrier) implements Awaited { }

        record Sync(int block, int step) implements Awaited { }

        record Warp(int block, int warp, int step) implements Awaited { }

        /** @param barrier the number of a named barrier */
        record Named(int block, int barrier, int step) implements Awaited { }

        record ClusterBarrier(int cluster, int step) implements Awaited { }

        record Value(int step) implements Awaited { }
    }

    /** Something that threads wait for, in the order of their numbers. */
    static final class Node {
        final Awaited awaited;
        final List<CheckedThread> waiters = new ArrayList<>();
        final List<CheckedThread> suppliers = new ArrayList<>();
        final Set<Node> next = new LinkedHashSet<>();

        private Node(Awaited awaited) {
            this.awaited = awaited;
        }

        /** The first of those who wait. */
        CheckedThread first() {
            return waiters.getFirst();
        }

        Waiting waiting() {
            return new Waiting(clocks(waiters), first().stuck.step());
        }

        /** All that it depends on. */
        Set<Node> reached() {
            Set<Node> all = new LinkedHashSet<>();
            Deque<Node> todo = new ArrayDeque<>(next);
            while (!todo.isEmpty()) {
                Node n = todo.poll();
                if (all.add(n)) {
                    todo.addAll(n.next);
                }
            }
            return all;
        }
    }

    final ProgramFlow flow;
    final BarrierSteps steps;
    private final RunState run;
    private final Map<Awaited, Node> nodes = new LinkedHashMap<>();
    private final Map<CheckedThread, Node> nodeOf = new HashMap<>();
    private final List<CheckedThread> stuck = new ArrayList<>();

    WaitGraph(TileProgram program, RunState run) {
        this.flow = new ProgramFlow(program);
        this.steps = new BarrierSteps(flow, program.shared());
        this.run = run;
        for (CheckedCluster cluster : run.running()) {
            cluster.threads().stream().filter(t -> t.stuck != null && !t.exited).forEach(stuck::add);
        }
        for (CheckedThread thread : stuck) {
            Awaited awaited = awaited(thread);
            if (awaited != null) {
                Node node = nodes.computeIfAbsent(awaited, Node::new);
                node.waiters.add(thread);
                nodeOf.put(thread, node);
            }
        }
        for (Node node : nodes.values()) {
            for (CheckedThread thread : stuck) {
                if (maySupply(thread, node)) {
                    node.suppliers.add(thread);
                    Node its = nodeOf.get(thread);
                    if (its != null) {
                        node.next.add(its);
                    }
                }
            }
        }
    }

    private static Awaited awaited(CheckedThread thread) {
        int step = thread.stuck.step();
        return switch (thread.stuck.what()) {
            case MBARRIER -> thread.blocked == null ? null : new Awaited.Phase(thread.blocked.barrier());
            case VALUE -> new Awaited.Value(step);
            case CLUSTER -> new Awaited.ClusterBarrier(thread.cluster.index, step);
            case WARP -> new Awaited.Warp(thread.block(), thread.clock.thread() / Warp.LANES, step);
            case NAMED_BARRIER -> new Awaited.Named(thread.block(), thread.atNamed, step);
            case SYNC_THREADS -> new Awaited.Sync(thread.block(), step);
        };
    }

    static List<ThreadClock> clocks(List<CheckedThread> threads) {
        return threads.stream().map(t -> t.clock).toList();
    }

    // ---- what is at fault

    /** What no thread could still bring about. */
    List<Node> roots() {
        return nodes.values().stream().filter(n -> n.suppliers.isEmpty()).toList();
    }

    /** Rings of nodes that only wait for each other, each in the order in which each waits for the next. */
    List<List<Node>> rings() {
        List<List<Node>> rings = new ArrayList<>();
        Set<Node> seen = new LinkedHashSet<>();
        for (Node node : nodes.values()) {
            Set<Node> reached = node.reached();
            boolean closed = reached.contains(node) && reached.stream().allMatch(n -> n.reached().contains(node));
            if (closed && seen.add(node)) {
                seen.addAll(reached);
                rings.add(shortest(node));
            }
        }
        return rings;
    }

    /** The shortest way from a node back to it. */
    private static List<Node> shortest(Node from) {
        Map<Node, Node> cameFrom = new HashMap<>();
        Deque<Node> todo = new ArrayDeque<>(List.of(from));
        while (!todo.isEmpty()) {
            Node at = todo.poll();
            for (Node n : at.next) {
                if (n == from) {
                    List<Node> ring = new ArrayList<>();
                    for (Node back = at; back != null; back = cameFrom.get(back)) {
                        ring.addFirst(back);
                    }
                    return ring;
                }
                if (!cameFrom.containsKey(n)) {
                    cameFrom.put(n, at);
                    todo.add(n);
                }
            }
        }
        return List.of(from);
    }

    /** Threads that wait for something that depends on this, and do not wait for this. */
    List<CheckedThread> dependentOn(Node node) {
        List<CheckedThread> all = new ArrayList<>();
        for (Node other : nodes.values()) {
            if (other != node && other.reached().contains(node)) {
                all.addAll(other.waiters);
            }
        }
        return all;
    }

    // ---- who may bring it about

    private boolean maySupply(CheckedThread thread, Node node) {
        return switch (node.awaited) {
            case Awaited.Phase(Barrier b) -> thread.cluster.clocks == b.cluster() && maySupply(thread, b);
            case Awaited.Sync(int block, int _) ->
                    thread.block() == block && thread.stuck.what() != Waits.SYNC_THREADS;
            case Awaited.Warp(int block, int warp, int step) -> thread.block() == block
                    && thread.clock.thread() / Warp.LANES == warp && thread.stuck.step() != step
                    && mayStill(thread, step);
            case Awaited.Named(int block, int barrier, int step) -> thread.block() == block
                    && !thread.cluster.block(block).named(barrier).came().contains(thread.clock)
                    && namedSteps(new Meeting(barrier, threadsAt(step, node.first()))).stream()
                            .anyMatch(s -> mayStill(thread, s));
            case Awaited.ClusterBarrier(int cluster, int _) -> thread.cluster.index == cluster
                    && thread.stuck.what() != Waits.CLUSTER && isStillToArriveAtCluster(thread);
            case Awaited.Value(int step) -> writers(step).stream().anyMatch(s -> mayStill(thread, s));
        };
    }

    private boolean maySupply(CheckedThread thread, Barrier b) {
        BarrierSteps.At at = steps.at(b.address());
        if (at == null) {
            return false;
        }
        BarrierLog.Use use = thread.cluster.log.of(thread.clock, b.owner(), b.address());
        boolean arrives = b.pendingArrivals() > 0 && (use == null || !use.isDoneIn(b.phase()))
                && mayStill(thread, b, steps.arriving(at));
        PhaseBytes bytes = b.bytes();
        // Who has announced or brought bytes in this phase goes on to the next, unless its copy is still to come.
        boolean announced = bytes.announced() > 0 && bytes.announcer() == thread.clock;
        boolean brought = use != null && use.broughtIn == b.phase() || hasLeftOut(thread, b);
        boolean brings = bytes.started() < bytes.announced() && !brought
                && mayStill(thread, b, steps.bringing(at).stream()
                        .filter(s -> !announced || isToCome(thread, bytes.announceStep(), s)).toList());
        boolean announces = bytes.started() > bytes.announced() && !announced
                && mayStill(thread, b, steps.announcing(at));
        return arrives || brings || announces;
    }

    /** Whether a thread that has announced bytes may still come to their copy before it announces the next. */
    private boolean isToCome(CheckedThread thread, int announcement, int copy) {
        int at = thread.stuck.step();
        return copy > at && !(at < announcement && announcement < copy && flow.shareLoop(announcement, copy));
    }

    /** Whether a thread's copy to several blocks has been for this phase, and left out the block of the mbarrier. */
    private static boolean hasLeftOut(CheckedThread thread, Barrier b) {
        int rank = thread.cluster.rank(b.owner());
        return thread.cluster.blocks().stream().anyMatch(block -> {
            BarrierLog.Use use = thread.cluster.log.of(thread.clock, block.index, b.address());
            return use != null && use.broughtTo != 0 && (use.broughtTo >>> rank & 1) == 0
                    && use.broughtIn >= b.phase();
        });
    }

    private boolean mayStill(CheckedThread thread, Barrier b, List<Integer> any) {
        return any.stream().anyMatch(s -> (thread.block() == b.owner() || steps.mayReachOthers(s))
                && mayStill(thread, s));
    }

    private boolean mayStill(CheckedThread thread, int step) {
        return flow.mayStillPerform(values(thread), thread.stuck.step(), step);
    }

    // ---- named barriers

    private static boolean isOfNamed(Operation operation) {
        return operation instanceof Instruction i && (i.form() instanceof BarrierCtaSync
                || i.form() instanceof BarrierCtaArrive || i.form() instanceof BarrierCtaRed);
    }

    /** Meetings at a named barrier. @param threads how many it is for; empty for any number */
    private record Meeting(int barrier, OptionalLong threads) { }

    private final Map<Meeting, List<Integer>> namedSteps = new HashMap<>();

    /** Steps at a named barrier, as far as can be told for this number of threads. */
    private List<Integer> namedSteps(Meeting meeting) {
        return namedSteps.computeIfAbsent(meeting,
                _ -> flow.steps(WaitGraph::isOfNamed).stream().filter(s -> stuck.stream().anyMatch(t -> {
                    OptionalLong number = operand(s, "barrier", t);
                    OptionalLong of = threadsAt(s, t);
                    return (number.isEmpty() || number.getAsLong() == meeting.barrier())
                            && (meeting.threads().isEmpty() || of.isEmpty() || of.equals(meeting.threads()));
                })).toList());
    }

    /** How many threads a step at a named barrier is for: without a number, all of the block. */
    OptionalLong threadsAt(int step, CheckedThread thread) {
        boolean counted = flow.operation(step) instanceof Instruction i && i.given("threads").isPresent();
        return counted ? operand(step, "threads", thread) : OptionalLong.of(run.threads());
    }

    private OptionalLong operand(int step, String name, CheckedThread thread) {
        return flow.operation(step) instanceof Instruction i
                && i.given(name).orElse(null) instanceof Input.Number(Expr e)
                ? flow.value(values(thread), e) : OptionalLong.empty();
    }

    /** A step at the same named barrier that is surely for another number of threads; 0 for none. */
    int forOthers(int barrier, OptionalLong threads) {
        return threads.isEmpty() ? 0 : flow.steps(WaitGraph::isOfNamed).stream()
                .filter(s -> stuck.stream().anyMatch(t ->
                operand(s, "barrier", t).equals(OptionalLong.of(barrier)) && threadsAt(s, t).isPresent()
                        && !threadsAt(s, t).equals(threads) && flow.mayPerform(values(t), s))).findFirst().orElse(0);
    }

    private boolean isStillToArriveAtCluster(CheckedThread thread) {
        return flow.steps(o -> o instanceof Instruction i && i.form() instanceof BarrierClusterArrive).stream()
                .anyMatch(s -> mayStill(thread, s));
    }

    ThreadValues values(CheckedThread thread) {
        return run.values(thread);
    }

    // ---- values in memory

    private final Map<Integer, List<Integer>> writers = new HashMap<>();

    /** Steps that may write the value that a step waits for. */
    List<Integer> writers(int step) {
        return writers.computeIfAbsent(step, s -> {
            Optional<Object> base = flow.operation(s) instanceof Instruction i
                    ? i.inputs().stream().findFirst().flatMap(flow.definitions()::base) : Optional.empty();
            return flow.steps(o -> writes(o, base));
        });
    }

    private boolean writes(Operation operation, Optional<Object> base) {
        return operation.accesses().stream().filter(a -> a.mode() != Effects.Mode.READ)
                .anyMatch(a -> operation.given(a.operand()).flatMap(flow.definitions()::base)
                        .map(b -> base.isEmpty() || b.equals(base.get())).orElse(true));
    }
}
