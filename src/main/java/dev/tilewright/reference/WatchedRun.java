package dev.tilewright.reference;

import dev.tilewright.program.Launch;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Runs a {@link Launch} on the CPU as {@link ReferenceLaunch} does, on one CPU thread, and tells a {@link ExecutionObserver} what it does. */
public final class WatchedRun {

    private WatchedRun() {
    }

    /**
     * Runs the first blocks of the launch; results are in the memory afterwards.
     *
     * @param memory what the launch's buffer numbers stand for
     * @param blocks how many of its blocks run, a multiple of its cluster; the program still sees the whole grid's size
     * @throws ReferenceException if the program does something that the hardware would fault on or wait for ever on
     */
    public static ReferenceRun run(Launch launch, List<MemorySegment> memory, int blocks, ReferenceOptions options, ExecutionObserver watch) {
        launch.program().requireGrid(blocks);
        if (blocks < 1 || blocks > launch.blocks()) {
            throw new IllegalArgumentException("of " + launch.blocks() + " blocks, 1 to all can run, got " + blocks);
        }
        Bindings bindings = new Bindings(launch.program(), ReferenceLaunch.bindings(launch, memory));
        watch.starts(new ExecutionObserver.Shape(launch.program().threads(), launch.program().clusterBlocks(), launch.program().shared().bytes(),
                bindings.addresses().pieces(new WrittenMemory(launch.program(), bindings))));
        CompiledProgram compiled = new ProgramCompiler(launch.program(), bindings, launch.blocks(), watch).compile();
        if (options.seed().isPresent()) {
            return new RandomGrid(compiled, blocks, options, options.seed().getAsLong()).run();
        }
        if (compiled.traits().blocksMeet()) {
            return new OrderedGrid(compiled, blocks, options).run();
        }
        return new GridRunner(compiled, blocks, options.poison()).run(1);
    }
}
