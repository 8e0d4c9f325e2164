package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.analysis.BarrierLog.Use;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.HandOvers;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.flow.ThreadValues;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.List;

/** What culprits are looked for by: the run so far, and what the program says of its steps. */
record Clues(RunState run, StepFacts facts, ProgramFlow flow, BarrierSteps steps, HandOvers handOvers) {
    private static final int BARRIER_BYTES = 8;

    static Clues of(TileProgram program, RunState run, StepFacts facts) {
        ProgramFlow flow = new ProgramFlow(program);
        BarrierSteps steps = new BarrierSteps(flow, program.shared());
        return new Clues(run, facts, flow, steps, new HandOvers(flow, steps));
    }

    boolean isSameRegion(Barrier a, Barrier b) {
        BarrierSteps.At first = steps.at(a.address());
        BarrierSteps.At second = steps.at(b.address());
        return a.owner() == b.owner() && first != null && second != null && first.region().equals(second.region());
    }

    /** The first step after a wait by which a thread may arrive somewhere; 0 for none. */
    int nextArrival(CheckedThread thread, int wait) {
        return handOvers.arrivalAfter(run.values(thread), wait);
    }

    static boolean isSync(Operation o) {
        return o instanceof Operation.SyncThreads;
    }

    static boolean isWait(Operation operation, Kind kind) {
        return operation instanceof Operation.Instruction i && kind.isWaitedForBy(i.form());
    }

    /** A thread's arrivals in the innermost loop around a step that has any. */
    List<Integer> arrivalsAround(ThreadValues thread, int step) {
        List<Integer> arrivals = List.of();
        for (int at = step; at != 0 && arrivals.isEmpty(); at = flow.loopAround(at)) {
            arrivals = handOvers.arrivalsAround(thread, at);
        }
        return arrivals;
    }

    boolean followsCopies(int arrival) {
        return flow.operation(arrival) instanceof Operation.Instruction i && i.form() instanceof CpAsyncMbarrierArrive;
    }

    /**
     * The number of the stage that bytes are in, if their buffer has as many equal parts as an array has mbarriers; -1
     * if not.
     */
    int stage(ByteRange bytes, Barrier b) {
        BarrierSteps.At buffer = steps.at((int) bytes.at());
        BarrierSteps.At array = steps.at(b.address());
        int stages = buffer == null || array == null ? 1 : array.region().bytes() / BARRIER_BYTES;
        return stages < 2 || buffer.region().bytes() % stages != 0 ? -1
                : buffer.offset() / (buffer.region().bytes() / stages);
    }

    /** The number of an mbarrier in its array. */
    int number(Barrier b) {
        return steps.at(b.address()).offset() / BARRIER_BYTES;
    }

    /** The step by which a thread arrived last at an mbarrier, or at another of its region; 0 for none. */
    int releaseOf(CheckedThread thread, Barrier b) {
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
}
