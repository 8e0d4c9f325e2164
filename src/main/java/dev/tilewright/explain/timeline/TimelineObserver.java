package dev.tilewright.explain.timeline;

import dev.tilewright.explain.timeline.Causes.Awaited;
import dev.tilewright.explain.timeline.ClosedGroups.Kind;
import dev.tilewright.explain.timeline.ThreadTraces.Who;
import dev.tilewright.program.Operation;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes down what each thread of the first cluster does, and at each wait whose steps ended it. */
final class TimelineObserver implements ExecutionObserver {
    private static final int WARPGROUP = 128;

    private final TileProgram program;
    private final StepNumbers steps;
    private final PlaceNames names;
    /** The first threads of warpgroups that have started products. */
    private final Set<Who> warpgroups = new HashSet<>();
    private final ThreadTraces traces;
    private final Causes causes = new Causes();
    private final ClosedGroups groups = new ClosedGroups();
    private final Map<Integer, List<Integer>> reached = new HashMap<>();
    private final Map<Who, Integer> namedSteps = new HashMap<>();
    private final Map<Who, Long> clusterPhases = new HashMap<>();
    private final Map<Who, Long> announced = new HashMap<>();

    TimelineObserver(TileProgram program) {
        this.program = program;
        this.steps = new StepNumbers(program);
        this.names = new PlaceNames(program.shared());
        this.traces = new ThreadTraces(program);
    }

    Map<Who, ThreadTrace> traces() {
        return traces.byThread();
    }

    /** The first thread of the warpgroup that a thread has started products with; null for none. */
    Who warpgroup(Who who) {
        Who first = new Who(who.block(), who.thread() / WARPGROUP * WARPGROUP);
        return warpgroups.contains(first) ? first : null;
    }

    @Override
    public void starts(Shape shape) {
        names.starts(shape.pieces());
    }

    @Override
    public boolean followsComputations() {
        return true;
    }

    // ---- accesses

    @Override
    public void shared(int block, int thread, int step, AccessKind kind, int owner, int address, int bytes) {
        accessed(block, thread, step, kind, () -> names.place(block, owner, address), bytes,
                new Awaited("shared", owner, address, 0));
    }

    @Override
    public void global(int block, int thread, int step, AccessKind kind, int piece, long offset, long bytes) {
        accessed(block, thread, step, kind, () -> names.place(piece, offset), bytes,
                new Awaited("global", piece, offset, 0));
    }

    private void accessed(int block, int thread, int step, AccessKind kind, Supplier<String> name, long bytes,
            Awaited word) {
        if (!traces.isShown(block) && kind.order() == null) {
            return;
        }
        String place = name.get();
        boolean isCopy = kind.proxy() != Effects.Proxy.GENERIC || kind.completion() != Completion.AT_ONCE;
        if (isCopy && kind.completion() != Completion.CP_ASYNC_GROUP) {
            TimelineEvent copy = kind.proxy() == Effects.Proxy.TENSORMAP ? null : traces.copy(block, thread, step);
            // Of what it reads and what it writes, shared memory says more.
            if (copy != null && copy.memory.isEmpty() && word.kind().equals("shared")) {
                copy.memory = place;
                // A product reads its operands in pieces, and the first says only where they are.
                copy.bytes += copy.action == StepAction.COMPUTE ? 0 : bytes;
            }
        } else if (kind.waits()) {
            traces.waits(block, thread, step, place, List.copyOf(causes.of(word)));
        } else if (kind.order() != null) {
            StepAction action = !kind.writes() ? StepAction.LOAD : kind.reads() ? StepAction.UPDATE : StepAction.STORE;
            TimelineEvent event = traces.add(block, thread, step, action, place);
            event.bytes = bytes;
            if (kind.writes()) {
                causes.replace(word, event);
            }
        } else if (!isCopy || kind.writes()) {
            traces.alone(block, thread, step, isCopy || kind.reads() ? StepAction.LOAD : StepAction.STORE, place,
                    bytes);
        }
    }

    @Override
    public void computes(int block, int thread, int step) {
        traces.alone(block, thread, step, StepAction.COMPUTE, "", 0);
    }

    @Override
    public void fence(int block, int thread, int step, PtxInstruction form) {
        traces.alone(block, thread, step, StepAction.FENCE, "", 0);
    }

    // ---- meetings

    @Override
    public void reachesSync(int block, int thread, int step) {
        reached.computeIfAbsent(block, _ -> new ArrayList<>()).add(thread);
    }

    @Override
    public void syncThreads(int block, int step) {
        traces.meet(block, reached.remove(block), step, StepAction.MEET, "", List.of());
    }

    @Override
    public void lanesMeet(int block, int warp, int lanes, int step, boolean orders) {
        boolean product = steps.step(step).operation() instanceof Operation.Instruction i
                && i.form() instanceof MmaSync;
        if (orders && !product) {
            traces.meet(block, members(warp, lanes), step, StepAction.MEET, "", List.of());
        } else if (product) {
            members(warp, lanes).forEach(thread -> traces.alone(block, thread, step, StepAction.COMPUTE, "", 0));
        }
    }

    private static List<Integer> members(int warp, int lanes) {
        return IntStream.range(0, Warp.LANES).filter(lane -> (lanes >>> lane & 1) != 0)
                .mapToObj(l -> warp * Warp.LANES + l).toList();
    }

    @Override
    public void namedArrives(int block, int warp, int lanes, int step, int barrier, boolean waits) {
        for (int thread : members(warp, lanes)) {
            if (waits) {
                namedSteps.put(new Who(block, thread), step);
            } else {
                causes.add(new Awaited("named", block, barrier, 0),
                        traces.add(block, thread, step, StepAction.ARRIVE, "barrier " + barrier));
            }
        }
    }

    @Override
    public void namedOpens(int block, int barrier, List<Integer> waiting) {
        List<TimelineEvent> by = causes.remove(new Awaited("named", block, barrier, 0));
        if (!waiting.isEmpty()) {
            // Threads come to one barrier from several steps.
            Map<Integer, List<Integer>> byStep = new TreeMap<>();
            waiting.forEach(t -> byStep.computeIfAbsent(namedSteps.get(new Who(block, t)), _ -> new ArrayList<>())
                    .add(t));
            byStep.forEach((step, threads) -> traces.meet(block, threads, step,
                    by == null ? StepAction.MEET : StepAction.WAIT,
                    "barrier " + barrier, by == null ? List.of() : by));
        }
    }

    @Override
    public void clusterArrive(int block, int thread, int step, boolean release, long opened) {
        causes.add(new Awaited("cluster", block / program.clusterBlocks(), 0, opened),
                traces.add(block, thread, step, StepAction.ARRIVE, "cluster"));
        clusterPhases.put(new Who(block, thread), opened);
    }

    @Override
    public void clusterWait(int block, int thread, int step) {
        traces.waits(block, thread, step, "cluster", causes.of(new Awaited("cluster", block / program.clusterBlocks(),
                0, clusterPhases.getOrDefault(new Who(block, thread), -1L))));
    }

    @Override
    public void awaitsPriorGrid(int block, int thread, int step) {
        traces.waits(block, thread, step, "the grid before this one", List.of());
    }

    // ---- mbarriers

    private String at(int block, int owner, int address, long phase) {
        return names.place(block, owner, address) + " phase " + phase;
    }

    @Override
    public void barrierInit(int block, int thread, int step, int owner, int address, String name, long arrivals) {
        traces.alone(block, thread, step, StepAction.INIT, names.place(block, owner, address), 0);
    }

    @Override
    public void expects(int block, int thread, int step, int owner, int address, long phase, long bytes,
            boolean alone) {
        if (alone) {
            traces.add(block, thread, step, StepAction.EXPECT, at(block, owner, address, phase)).bytes = bytes;
        } else {
            announced.put(new Who(block, thread), bytes);
        }
    }

    @Override
    public void arrives(int block, int thread, int step, int owner, int address, long phase, Effects.Order order,
            long count, boolean drops) {
        TimelineEvent event = traces.add(block, thread, step, StepAction.ARRIVE, at(block, owner, address, phase));
        Long bytes = announced.remove(new Who(block, thread));
        event.bytes = bytes == null ? 0 : bytes;
        causes.counts(event, owner, address, phase);
    }

    @Override
    public void completesTx(int block, int thread, int step, int owner, int address, long phase, long bytes) {
        TimelineEvent event = traces.add(block, thread, step, StepAction.ARRIVE, at(block, owner, address, phase));
        event.bytes = bytes;
        causes.counts(event, owner, address, phase);
    }

    @Override
    public void cpArrive(int block, int thread, int step, int owner, int address, long phase, boolean added) {
        TimelineEvent event = traces.add(block, thread, step, StepAction.ARRIVE, at(block, owner, address, phase));
        causes.counts(event, owner, address, phase);
    }

    @Override
    public void copyStarts(int block, int thread, int step, int owner, int address, long phase, int counted, int mask) {
        // Of a copy to several blocks each is told, the lowest first.
        boolean further = mask != 0 && owner % program.clusterBlocks() != Integer.numberOfTrailingZeros(mask);
        TimelineEvent last = further ? traces.copy(block, thread, step) : null;
        TimelineEvent event = last != null ? last : traces.add(block, thread, step,
                isLoad(step) ? StepAction.LOAD : StepAction.STORE,
                mask == 0 ? at(block, owner, address, phase)
                        : at(owner, owner, address, phase) + " of blocks " + ranks(mask));
        causes.counts(event, owner, address, phase);
    }

    @Override
    public void parityPassed(int block, int thread, int step, int owner, int address, long phase, long parity,
            Effects.Order order) {
        passed(block, thread, step, owner, address, phase - 1);
    }

    @Override
    public void tokenPassed(int block, int thread, int step, int owner, int address, long phase, long tokenPhase,
            Effects.Order order) {
        passed(block, thread, step, owner, address, tokenPhase);
    }

    private void passed(int block, int thread, int step, int owner, int address, long phase) {
        traces.waits(block, thread, step, phase < 0 ? names.place(block, owner, address) + " before phase 0"
                : at(block, owner, address, phase), phase < 0 ? List.of()
                : causes.of(Causes.phase(owner, address, phase)));
    }

    // ---- groups

    @Override
    public void cpCommit(int block, int thread, int step) {
        commits(block, thread, step, Kind.CP_ASYNC);
    }

    @Override
    public void cpWait(int block, int thread, int step, int pending) {
        awaits(block, thread, step, Kind.CP_ASYNC, pending, "cp.async groups");
    }

    @Override
    public void storeStarts(int block, int thread, int step) {
        traces.add(block, thread, step, StepAction.STORE, "");
    }

    @Override
    public void bulkCommit(int block, int thread, int step) {
        commits(block, thread, step, Kind.BULK);
    }

    @Override
    public void bulkWait(int block, int thread, int step, int pending, boolean read) {
        awaits(block, thread, step, Kind.BULK, pending, read ? "reads of bulk groups" : "bulk groups");
    }

    @Override
    public void wgmmaStarts(int block, int first, int step, RegisterRange sums, RegisterRange a) {
        warpgroups.add(new Who(block, first));
        warpgroup(first, thread -> traces.alone(block, thread, step, StepAction.COMPUTE, "", 0));
    }

    @Override
    public void wgmmaFence(int block, int first, int step) {
        warpgroup(first, thread -> traces.alone(block, thread, step, StepAction.FENCE, "", 0));
    }

    @Override
    public void wgmmaCommit(int block, int first, int step) {
        warpgroup(first, thread -> commits(block, thread, step, Kind.WGMMA));
    }

    @Override
    public void wgmmaWait(int block, int first, int step, int pending) {
        warpgroup(first, thread -> awaits(block, thread, step, Kind.WGMMA, pending, "wgmma groups"));
    }

    private static void warpgroup(int first, IntConsumer each) {
        IntStream.range(first, first + WARPGROUP).forEach(each);
    }

    private void commits(int block, int thread, int step, Kind kind) {
        if (traces.isShown(block)) {
            groups.close(new Who(block, thread), kind, traces.add(block, thread, step, StepAction.COMMIT, ""));
        }
    }

    private void awaits(int block, int thread, int step, Kind kind, int pending, String what) {
        traces.waits(block, thread, step, what + (pending == 0 ? "" : " but " + pending),
                groups.awaited(new Who(block, thread), kind, pending).stream().toList());
    }

    // ---- the end

    @Override
    public void waitsForEver(int block, int thread, int step, Waits what) {
        traces.add(block, thread, step, StepAction.STUCK, "");
    }

    // ---- steps

    private boolean isLoad(int step) {
        return steps.step(step).operation() instanceof Operation.Instruction i
                && (i.form() instanceof BulkLoad || i.form() instanceof TensorLoad);
    }

    private static String ranks(int mask) {
        return members(0, mask).stream().map(Object::toString).collect(Collectors.joining(","));
    }
}
