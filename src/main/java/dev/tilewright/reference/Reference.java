package dev.tilewright.reference;

import dev.tilewright.NotNull;
import dev.tilewright.program.GridShape;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Runs a tile program on the CPU. The bytes it leaves in the bound memory are the bytes that the program means.
 *
 * <p>The model, in short:
 * <ul>
 * <li>each thread performs its steps in order; the threads of a cluster, which is one block where there are none, take
 *     turns,
 * each until it must wait, so that a run is the same every time;</li>
 * <li>blocks that see nothing of each other run in any order, on several CPU threads. Where one may see what another
 *     does
 * while both run, because the program loads or updates values in global memory by instructions with a scope or waits
 * for them ({@link dev.tilewright.program.Operation.Poll}), or has {@code cp.reduce.async.bulk} copies update them,
 * clusters run in order on one CPU thread, and the next is started when no thread of those before it can go on: the
 * same every time again. So reductions come in the order of the blocks, as far as none waits for another, and the first
 * block of a grid that shares work out through a counter may do all of it. A seed ({@link ReferenceOptions#withSeed})
 * mixes threads and blocks instead, and lands copies at other times;</li>
 * <li>asynchronous copies land as late as the program allows: cp.async at the thread's wait for its group, what
 * completes on an mbarrier when a thread waits for that barrier and no thread of the cluster can go on; bulk stores
 * read their source at the thread's wait for that, and write at its wait for the whole, or at its end. Where every
 * thread waits for a value in memory or for what those threads do, stores and then copies land one by one until
 * somebody goes on; where threads only repeat loops that end by data, or some do for long, one lands every few rounds.
 * cp.async copies that no thread waits for never land;</li>
 * <li>a mistake is a {@link ReferenceException} that names the block, the thread and the step, and a kernel that would
 * never end is one of the mistakes;</li>
 * <li>a tensor map that the kernel makes in memory is read as sm_90's 128 bytes, as they are when a copy through it
 *     starts;
 * whether the copy must see them is for the hazard check to say; device addresses are made up, the same ones every
 * time;</li>
 * <li>{@code elect.sync} chooses the highest lane of its mask, and with a seed any but the lowest: hardware has been
 *     seen to
 * choose the lowest, on which no kernel may count;</li>
 * <li>fences, prefetches and cache hints change no byte here; what two threads do to the same bytes without anything
 *     that
 * orders them happens in the order of their turns;</li>
 * <li>rows of a box are looked up by address, modulo 2^64, in all memory of the launch: a map may describe more than
 * there is; other accesses stay within what their pointer was given;</li>
 * <li>blocks are numbered cluster by cluster, x first, which in one dimension is {@code blockIdx.x}; threads of a block
 * x first;</li>
 * <li>addresses of shared memory as numbers are made up too; what is not run, as some of what needs sm_100 or
 * later, is refused where a thread reaches it.</li>
 * </ul>
 */
public final class Reference {

    private Reference() { }

    /** Runs a launch with the default options; see {@link #run(Launch, List, ReferenceOptions, ExecutionObserver)}. */
    public static ReferenceRun run(Launch launch, List<MemorySegment> memory) {
        return run(launch, memory, ReferenceOptions.DEFAULT);
    }

    /** Runs a launch without an observer; see {@link #run(Launch, List, ReferenceOptions, ExecutionObserver)}. */
    public static ReferenceRun run(Launch launch, List<MemorySegment> memory, ReferenceOptions options) {
        return run(launch, memory, options, null);
    }

    /**
     * Runs a launch to its end; results are in the memory afterwards.
     *
     * @param memory what the launch's buffer numbers stand for
     * @param observer told what every step does, on one CPU thread; null for none
     * @throws IllegalArgumentException if the memory does not suit the launch
     * @throws ReferenceException if the program does something that the hardware would fault on or wait for ever on; of
     *     the blocks that do, the lowest is reported
     * @throws dev.tilewright.reference.fault.ReferenceStoppedException if this thread is interrupted, or the run takes
     *     more steps or time than its options allow
     */
    public static ReferenceRun run(Launch launch, List<MemorySegment> memory, ReferenceOptions options,
            ExecutionObserver observer) {
        NotNull.all("launch, memory, options", launch, memory, options);
        if (launch.blocks() == 0) {
            return new ReferenceRun(0, 0);
        }
        GridShape shape = launch.shape();
        try {
            return Execution.run(launch.resolved().program(), shape, Binding.of(launch, memory), options, observer);
        } catch (ReferenceException e) {
            throw shape.isLine() ? e : new ReferenceException(e.kind(), e.kernel(), e.block(), e.thread(), e.step(),
                    e.purpose(), e.sentence() + " (" + shape.explain(e.block()) + ")");
        }
    }
}
