package dev.tilewright.reference.schedule;

import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.observe.ExecutionObserver.Waits;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.reference.op.AccessOps;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.ClusterState;
import dev.tilewright.reference.state.ThreadState.Status;
import dev.tilewright.reference.state.ThreadState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Puts into words why no thread of the blocks that were started can go on. */
final class Deadlock {
    private final CompiledProgram program;
    private final List<BlockState> blocks;
    private final int notStarted;

    /** Of a cluster that no other cluster can help. */
    Deadlock(CompiledProgram program, ClusterState cluster) {
        this(program, List.of(cluster), 0);
    }

    /** @param notStarted blocks that were not started, because too many others are under way */
    Deadlock(CompiledProgram program, List<ClusterState> clusters, int notStarted) {
        this.program = program;
        this.blocks = clusters.stream().flatMap(c -> Arrays.stream(c.blocks())).toList();
        this.notStarted = notStarted;
    }

    /** Whether another cluster may bring it on: a thread waits for a value in memory. */
    static boolean mayBeHelped(ClusterState cluster) {
        return Arrays.stream(cluster.blocks()).flatMap(b -> Arrays.stream(b.threads()))
                .anyMatch(t -> t.status == Status.AT_VALUE);
    }

    /**
     * The mistake: a barrier, a value or a cluster's barrier that nothing can bring about or, where no thread waits for
     * any of these, what a warp or a block does not reach together.
     */
    ReferenceException describe() {
        report();
        Status reported = List.of(Status.AT_BARRIER, Status.AT_VALUE, Status.AT_CLUSTER, Status.AT_NAMED_BARRIER,
                Status.AT_WARP, Status.AT_SYNC_THREADS)
                .stream().filter(s -> blocks.stream().anyMatch(b -> first(b, s) != null)).findFirst().orElseThrow();
        BlockState block = blocks.stream().filter(b -> first(b, reported) != null).findFirst().orElseThrow();
        ThreadState thread = first(block, reported);
        Whereabouts places = new Whereabouts(program);
        List<String> parts = new ArrayList<>();
        for (BlockState b : blocks) {
            String text = places.of(b);
            parts.add(blocks.size() == 1 ? text : "in block " + b.index() + ", " + text);
        }
        if (notStarted > 0) {
            parts.add((notStarted == 1 ? "the last block of the grid is" : "the last " + notStarted
                    + " blocks of the grid are") + " not started before others end");
        }
        return new ReferenceException(switch (reported) {
            case AT_WARP -> Kind.WARP;
            case AT_NAMED_BARRIER -> Kind.NAMED_BARRIER;
            case AT_SYNC_THREADS -> Kind.SYNC_THREADS;
            default -> Kind.WOULD_HANG;
        }, program.name(), block.index(), thread.index, program.step(thread.pc), program.purpose(thread.pc),
                switch (reported) {
            case AT_WARP -> (thread.group == null ? "not every thread" : "not every member") + " of the "
                    + places.meeting(thread.pc) + " reaches this step: ";
            case AT_NAMED_BARRIER -> "not enough threads come to this named barrier: ";
            case AT_SYNC_THREADS -> "not every thread of the block reaches this __syncthreads(): ";
            default -> "the kernel would wait forever: ";
        } + String.join("; ", parts));
    }

    private void report() {
        ExecutionObserver observer = program.observer();
        if (observer == null) {
            return;
        }
        for (BlockState block : blocks) {
            for (ThreadState t : block.threads()) {
                Waits waits = switch (t.status) {
                    case AT_BARRIER, POLLING -> Waits.MBARRIER;
                    case AT_VALUE -> Waits.VALUE;
                    case AT_CLUSTER -> Waits.CLUSTER;
                    case AT_WARP -> Waits.WARP;
                    case AT_NAMED_BARRIER -> Waits.NAMED_BARRIER;
                    case AT_SYNC_THREADS -> Waits.SYNC_THREADS;
                    case RUNNABLE, EXITED -> null;
                };
                if (waits != null) {
                    observer.waitsForEver(block.index(), t.index, program.step(t.pc), waits);
                    if (program.ops()[t.pc].bare() instanceof AccessOps.Poll poll) {
                        poll.reportState(t);
                    }
                }
            }
        }
    }

    private static ThreadState first(BlockState block, Status status) {
        return Arrays.stream(block.threads()).filter(t -> t.status == status).findFirst().orElse(null);
    }
}
