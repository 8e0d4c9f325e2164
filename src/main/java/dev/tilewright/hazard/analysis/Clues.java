package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.flow.BarrierSteps;
import dev.tilewright.hazard.flow.HandOvers;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;

/** What culprits are looked for by: the run so far, and what the program says of its steps. */
record Clues(RunState run, StepFacts facts, ProgramFlow flow, BarrierSteps steps, HandOvers handOvers) {

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
}
