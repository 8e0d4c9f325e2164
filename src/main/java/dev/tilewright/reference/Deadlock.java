package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;
import dev.tilewright.reference.ThreadState.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Puts into words why no thread of a block can go on. */
final class Deadlock {
    private final CompiledProgram program;
    private final BlockState block;

    Deadlock(CompiledProgram program, BlockState block) {
        this.program = program;
        this.block = block;
    }

    /** The mistake: a barrier that nothing can complete or, where no thread is at one, what a warp or the block does not reach together. */
    ReferenceException describe() {
        List<String> parts = new ArrayList<>();
        for (Mbarrier barrier : block.barriers()) {
            List<Integer> waiting = threads(t -> t.status == Status.AT_BARRIER && t.waitsFor == barrier);
            if (!waiting.isEmpty()) {
                parts.add(barrier.state() + ", and " + ThreadNumbers.text(waiting, "waits", "wait") + " for it");
            }
        }
        boolean hang = !parts.isEmpty();
        boolean warp = !threads(t -> t.status == Status.AT_WARP).isEmpty();
        waitingAt(Status.AT_WARP).forEach((pc, waiting) -> parts.add(ThreadNumbers.text(waiting, "waits", "wait")
                + " for the rest of the warp in step '" + program.ops()[pc].purpose() + "'"));
        waitingAt(Status.AT_SYNC_THREADS).forEach((pc, waiting) -> parts.add(ThreadNumbers.text(waiting, "is", "are")
                + " at __syncthreads() in step '" + program.ops()[pc].purpose() + "'"));
        List<Integer> exited = threads(t -> t.status == Status.EXITED);
        if (!exited.isEmpty()) {
            parts.add(ThreadNumbers.text(exited, "has exited", "have exited"));
        }
        ThreadState first = first(hang ? Status.AT_BARRIER : warp ? Status.AT_WARP : Status.AT_SYNC_THREADS);
        return new ReferenceException(hang ? Kind.WOULD_HANG : warp ? Kind.WARP : Kind.SYNC_THREADS, program.name(),
                block.index(), first.index, program.ops()[first.pc].purpose(), (hang ? "the kernel would wait forever: "
                        : warp ? "not every thread of the warp reaches this step: "
                        : "not every thread of the block reaches this __syncthreads(): ") + String.join("; ", parts));
    }

    private Map<Integer, List<Integer>> waitingAt(Status status) {
        Map<Integer, List<Integer>> byPlace = new LinkedHashMap<>();
        for (ThreadState t : block.threads()) {
            if (t.status == status) {
                byPlace.computeIfAbsent(t.pc, _ -> new ArrayList<>()).add(t.index);
            }
        }
        return byPlace;
    }

    private ThreadState first(Status status) {
        return Arrays.stream(block.threads()).filter(t -> t.status == status).findFirst().orElseThrow();
    }

    private List<Integer> threads(java.util.function.Predicate<ThreadState> which) {
        return Arrays.stream(block.threads()).filter(which).map(t -> t.index).toList();
    }
}
