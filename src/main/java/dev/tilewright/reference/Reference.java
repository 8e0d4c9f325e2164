package dev.tilewright.reference;

import dev.tilewright.program.Parameter;
import dev.tilewright.program.TileProgram;
import java.util.Map;

/**
 * Runs a tile program on the CPU. The bytes it leaves in the bound memory are the bytes that the program means.
 *
 * <p>The model, in short:
 * <ul>
 * <li>each thread performs its steps in order; the threads of a cluster, which is one block where there are none, take turns,
 * each until it must wait, so that a run is the same every time;</li>
 * <li>blocks that see nothing of each other run in any order, on several CPU threads. Where one may see what another does
 * while both run, because the program loads or updates values in global memory by instructions with a scope or waits for
 * them ({@link dev.tilewright.program.Operation.WaitUntil}), or has {@code cp.reduce.async.bulk} copies update them, clusters run in order on one CPU thread, and the next is started
 * when no thread of those before it can go on: the same every time again. So reductions come in the
 * order of the blocks, as far as none waits for another, and the first block of a grid that shares work out
 * through a counter may do all of it. A seed ({@link ReferenceOptions#withSeed}) mixes threads and blocks instead, and
 * lands copies at other times;</li>
 * <li>asynchronous copies land as late as the program allows: cp.async at the thread's wait for its group, what
 * completes on an mbarrier when a thread waits for that barrier and no thread of the cluster can go on; bulk stores read
 * their source at the thread's wait for that, and write at its wait for the whole, or at its end. Where every thread waits
 * for a value in memory or for what those threads do, stores and then copies land one by one until somebody goes on. cp.async
 * copies that nobody waits for never land;</li>
 * <li>a mistake is a {@link ReferenceException} that names the block, the thread and the step, and a kernel that would
 * never end is one of the mistakes;</li>
 * <li>a tensor map that the kernel makes in memory must be published and acquired before a copy goes through it, and is
 * read as sm_90's 128 bytes; device addresses are made up, the same ones every time;</li>
 * <li>fences, prefetches and cache hints change no byte here; what two threads do to the same bytes without anything that
 * orders them happens in the order of their turns;</li>
 * <li>addresses of shared memory as numbers are made up too; what needs sm_100 or later is refused.</li>
 * </ul>
 */
public final class Reference {

    private Reference() {
    }

    /**
     * Runs the program with the default options.
     *
     * @param gridBlocks blocks in the grid, at least 1 and a multiple of the program's cluster
     * @param bindings what each parameter of the program stands for; results are written to the memory bound here
     * @throws IllegalArgumentException if a binding is missing or does not suit its parameter
     * @throws ReferenceException if the program makes a mistake; of the blocks that do, the lowest is reported
     */
    public static ReferenceRun run(
            TileProgram program, int gridBlocks, Map<? extends Parameter, ? extends Binding> bindings) {
        return run(program, gridBlocks, bindings, ReferenceOptions.DEFAULT);
    }

    /** Runs the program; see {@link #run(TileProgram, int, Map)}. */
    public static ReferenceRun run(TileProgram program, int gridBlocks,
            Map<? extends Parameter, ? extends Binding> bindings, ReferenceOptions options) {
        if (gridBlocks < 1) {
            throw new IllegalArgumentException(
                    "kernel '" + program.name() + "': the grid must have at least 1 block, got " + gridBlocks);
        }
        program.requireGrid(gridBlocks);
        Bindings checked = new Bindings(program, bindings);
        CompiledProgram compiled = new ProgramCompiler(program, checked, gridBlocks).compile();
        if (options.seed().isPresent()) {
            return new RandomGrid(compiled, gridBlocks, options, options.seed().getAsLong()).run();
        }
        if (compiled.traits().blocksMeet()) {
            return new OrderedGrid(compiled, gridBlocks, options).run();
        }
        int workers = options.parallel() && checked.areShareable() ? Runtime.getRuntime().availableProcessors() : 1;
        return new GridRunner(compiled, gridBlocks, options.poison()).run(Math.min(workers, gridBlocks));
    }
}
