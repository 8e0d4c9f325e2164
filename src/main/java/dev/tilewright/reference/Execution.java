package dev.tilewright.reference;

import dev.tilewright.program.Dim3;
import dev.tilewright.program.GridShape;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.compile.Bindings;
import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.compile.ProgramCompiler;
import dev.tilewright.reference.compile.WrittenMemory;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.reference.schedule.OrderedGrid;
import dev.tilewright.reference.schedule.RandomGrid;
import dev.tilewright.reference.schedule.RunBudget;
import dev.tilewright.reference.simt.GridRunner;
import java.util.Map;

/** Chooses how a program is run: which of the schedules, and on how many CPU threads. */
final class Execution {

    private Execution() { }

    /**
     * Runs a program to its end.
     *
     * @param shape at least 1 block, in clusters of the program's size
     * @param bindings what each parameter of the program stands for; results are written to the memory bound here
     * @param observer null for none
     * @throws IllegalArgumentException if a binding is missing or does not suit its parameter
     * @throws ReferenceException if the program makes a mistake; of the blocks that do, the lowest is reported
     * @throws dev.tilewright.reference.fault.ReferenceStoppedException if the run is interrupted, or takes more steps
     *     or time than its options allow
     */
    static ReferenceRun run(TileProgram program, GridShape shape, Map<? extends Parameter, ? extends Binding> bindings,
            ReferenceOptions options, ExecutionObserver observer) {
        int gridBlocks = shape.blocks();
        int blocks = options.firstBlocks() == 0 ? gridBlocks : options.firstBlocks();
        program.requireGrid(blocks);
        if (blocks > gridBlocks) {
            throw new IllegalArgumentException("of " + gridBlocks + " blocks, 1 to all can run, got " + blocks);
        }
        Bindings checked = new Bindings(program, bindings, options.approximations());
        if (observer != null) {
            observer.starts(new ExecutionObserver.Shape(program.threads(), program.clusterBlocks(),
                    program.shared().bytes(), checked.addresses()
                    .pieces(new WrittenMemory(program, checked)::mayBeWritten,
                            checked.pointed(program))));
        }
        CompiledProgram compiled = new ProgramCompiler(program, checked, shape, observer, options.shortcuts())
                .compile();
        return new ReferenceRun(blocks, run(compiled, blocks, options, observer == null && checked.areShareable()));
    }

    /** Runs a program to its end, on a grid of one dimension, a multiple of the program's cluster. */
    static ReferenceRun run(TileProgram program, int gridBlocks, Map<? extends Parameter, ? extends Binding> bindings,
            ReferenceOptions options, ExecutionObserver observer) {
        if (gridBlocks < 1) {
            throw new IllegalArgumentException(
                    "kernel '" + program.name() + "': the grid must have at least 1 block, got " + gridBlocks);
        }
        program.requireGrid(gridBlocks);
        return run(program, new GridShape(Dim3.of(gridBlocks), program.cluster().blocks()), bindings, options,
                observer);
    }

    private static long run(CompiledProgram compiled, int blocks, ReferenceOptions options, boolean mayShare) {
        RunBudget budget = new RunBudget(compiled.name(), options.mostSteps(), options.mostTime(),
                options.progress());
        if (options.seed().isPresent()) {
            return new RandomGrid(compiled, blocks, options.poison(), options.residentBlocks(),
                    options.seed().getAsLong(), budget).run();
        }
        if (compiled.traits().blocksMeet()) {
            return new OrderedGrid(compiled, blocks, options.poison(), options.residentBlocks(), budget).run();
        }
        int workers = options.parallel() && mayShare ? Math.min(Runtime.getRuntime().availableProcessors(), blocks) : 1;
        return new GridRunner(compiled, blocks, options.poison(), budget).run(workers);
    }
}
