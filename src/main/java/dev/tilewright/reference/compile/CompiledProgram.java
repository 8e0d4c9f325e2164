package dev.tilewright.reference.compile;

import dev.tilewright.program.GridShape;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.state.BlockLayout;
import dev.tilewright.reference.state.Election;
import java.util.List;

/**
 * A tile program with its parameters bound, ready to run any number of blocks.
 *
 * @param shape of the whole launch
 * @param steps the program's steps, by their numbers
 * @param slots what the slots of a thread hold before its first step
 * @param barriers the mbarriers, in order of their numbers and addresses
 * @param traits what the whole program does that decides how it is run
 * @param ops operations; the last ends the thread
 * @param stepOf for each operation, the number of the step that it belongs to; 0 for the last
 * @param observer told what the operations do; null for none
 * @param plain whether a run of it takes no shortcuts
 */
public record CompiledProgram(TileProgram program, GridShape shape, StepNumbers steps, long[] slots,
        List<BlockLayout.Barrier> barriers, Traits traits, Op[] ops, int[] stepOf, ExecutionObserver observer,
        boolean plain) {

    /**
     * What the whole program does.
     *
     * @param blocksMeet whether blocks may see what others do while they run: they load values that others store, or
     *     update values that others update, or cancel blocks that have not been started
     * @param rereadsStores whether it may read, or store to otherwise, while it runs, memory that bulk stores write. To
     *     write early is always allowed, so where it is not seen nothing wrong comes of it
     */
    public record Traits(boolean blocksMeet, boolean rereadsStores) { }

    /** This program with other operations in their places. */
    public CompiledProgram withOps(Op[] others) {
        return new CompiledProgram(program, shape, steps, slots, barriers, traits, others, stepOf, observer, plain);
    }

    public String name() {
        return program.name();
    }

    public int threads() {
        return program.threads();
    }

    public int clusterBlocks() {
        return program.clusterBlocks();
    }

    /** What a block holds in the fixed order of events; see {@link BlockLayout} for the parameters. */
    public BlockLayout layout(boolean splitStores, byte poison) {
        return layout(splitStores, poison, Election.HIGHEST);
    }

    /** What a block holds; see {@link BlockLayout} for the parameters. */
    public BlockLayout layout(boolean splitStores, byte poison, Election election) {
        return new BlockLayout(threads(), clusterBlocks(), slots, program.shared().bytes(), barriers,
                splitStores || plain, poison, election, plain);
    }

    /** The number of the step that an operation belongs to; 0 for the end of the kernel. */
    public int step(int pc) {
        return stepOf[pc];
    }

    /** What that step is for. */
    public String purpose(int pc) {
        return stepOf[pc] == 0 ? "end of the kernel" : steps.step(stepOf[pc]).purpose();
    }
}
