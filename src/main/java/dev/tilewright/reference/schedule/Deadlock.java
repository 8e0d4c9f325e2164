package dev.tilewright.reference.schedule;

import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.observe.ExecutionObserver.Waits;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.reference.op.AccessOps;
import dev.tilewright.reference.op.MmaOps;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.ClusterState;
import dev.tilewright.reference.state.LaneNumbers;
import dev.tilewright.reference.state.NamedBarriers;
import dev.tilewright.reference.state.ThreadState.Status;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.state.WarpConvergence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

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
        List<String> parts = new ArrayList<>();
        for (BlockState b : blocks) {
            String text = String.join("; ", parts(b));
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
        }, program.name(), block.index(), thread.index, program.step(thread.pc), purpose(thread.pc), switch (reported) {
            case AT_WARP -> (thread.group == null ? "not every thread" : "not every member") + " of the "
                    + meeting(thread.pc)
                    + " reaches this step: ";
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

    private List<String> parts(BlockState block) {
        List<String> parts = new ArrayList<>();
        block.barriers().forEach(barrier -> {
            List<Integer> waiting = threads(block, t -> t.status == Status.AT_BARRIER && t.waitsFor == barrier);
            if (!waiting.isEmpty()) {
                parts.add(barrier.state() + ", and " + ThreadNumbers.text(waiting, "waits", "wait") + " for it");
            }
        });
        byText(block, Status.AT_VALUE, t -> ((AccessOps.Poll) program.ops()[t.pc].bare())
                .state(t) + ", in step '" + purpose(t.pc) + "'")
                .forEach((text, waiting) -> parts.add(ThreadNumbers.text(waiting, "waits", "wait") + " for " + text));
        int missing = block.cluster().barrier().missing();
        byText(block, Status.AT_CLUSTER, t -> purpose(t.pc))
                .forEach((step, waiting) -> parts.add(ThreadNumbers.text(waiting, "waits",
                "wait") + " for the cluster's barrier in step '" + step + "', at which " + missing
                + (missing == 1 ? " thread is missing" : " threads are missing")));
        byText(block, Status.AT_WARP, t -> missing(block, t) + " in step '" + purpose(t.pc) + "'")
                .forEach((text, waiting) ->
                parts.add(ThreadNumbers.text(waiting, "waits", "wait") + " for " + text));
        byText(block, Status.AT_NAMED_BARRIER, t -> NamedBarriers.of(t).state() + ", in step '" + purpose(t.pc) + "'")
                .forEach(
                (text, waiting) -> parts.add(ThreadNumbers.text(waiting, "waits", "wait") + " at " + text));
        byText(block, Status.AT_SYNC_THREADS, t -> purpose(t.pc))
                .forEach((step, waiting) -> parts.add(ThreadNumbers.text(waiting, "is", "are")
                + " at __syncthreads() in step '" + step + "'"));
        List<Integer> exited = threads(block, t -> t.status == Status.EXITED);
        if (!exited.isEmpty()) {
            parts.add(ThreadNumbers.text(exited, "has exited", "have exited"));
        }
        return parts;
    }

    private String missing(BlockState block, ThreadState t) {
        int missing = block.warps().missing(t);
        return missing == 0 ? "the rest of the " + meeting(t.pc) : LaneNumbers.text(missing) + " of warp "
                + t.index / WarpConvergence.WARP;
    }

    /** Who comes together at an operation. */
    private String meeting(int pc) {
        return switch (program.ops()[pc].bare()) {
            case MmaOps.Warpgroup _, MmaOps.Group _ -> "warpgroup";
            default -> "warp";
        };
    }

    private String purpose(int pc) {
        return program.purpose(pc);
    }

    private static Map<String, List<Integer>> byText(BlockState block, Status status,
            java.util.function.Function<ThreadState, String> text) {
        Map<String, List<Integer>> byText = new LinkedHashMap<>();
        for (ThreadState t : block.threads()) {
            if (t.status == status) {
                byText.computeIfAbsent(text.apply(t), _ -> new ArrayList<>()).add(t.index);
            }
        }
        return byText;
    }

    private static ThreadState first(BlockState block, Status status) {
        return Arrays.stream(block.threads()).filter(t -> t.status == status).findFirst().orElse(null);
    }

    private static List<Integer> threads(BlockState block, Predicate<ThreadState> which) {
        return Arrays.stream(block.threads()).filter(which).map(t -> t.index).toList();
    }
}
