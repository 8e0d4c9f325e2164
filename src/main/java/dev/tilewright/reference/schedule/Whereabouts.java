package dev.tilewright.reference.schedule;

import dev.tilewright.program.Step;
import dev.tilewright.program.Warp;
import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.op.AccessOps;
import dev.tilewright.reference.op.MmaOps;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.ClusterState;
import dev.tilewright.reference.state.LaneNumbers;
import dev.tilewright.reference.state.NamedBarriers;
import dev.tilewright.reference.state.ThreadState.Status;
import dev.tilewright.reference.state.ThreadState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Where the threads of blocks that have been started are, in words: what each waits for, and what the others do. */
record Whereabouts(CompiledProgram program) {
    /** Blocks that differ in where their threads are, or more like each of these. */
    private static final int MOST_BLOCKS = 4;

    /** Of all blocks: those whose threads are at the same places are told together, and of many kinds the first. */
    String of(List<ClusterState> clusters) {
        Map<String, List<Integer>> blocks = new LinkedHashMap<>();
        clusters.stream().flatMap(c -> Arrays.stream(c.blocks()))
                .forEach(b -> blocks.computeIfAbsent(of(b), _ -> new ArrayList<>()).add(b.index()));
        String text = blocks.entrySet().stream().limit(MOST_BLOCKS)
                .map(e -> "in " + ThreadNumbers.text("block", e.getValue().stream().sorted().toList()) + ", "
                        + e.getKey()).collect(Collectors.joining("; "));
        int others = blocks.values().stream().skip(MOST_BLOCKS).mapToInt(List::size).sum();
        return others == 0 ? text : text + "; and so on in " + others + " more";
    }

    /** Of one block. */
    String of(BlockState block) {
        return String.join("; ", parts(block));
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
        byText(block, t -> t.status == Status.RUNNABLE || t.status == Status.POLLING, t -> place(t.pc))
                .forEach((text, running) -> parts.add(ThreadNumbers.text(running, "is", "are") + " in " + text));
        List<Integer> exited = threads(block, t -> t.status == Status.EXITED);
        if (!exited.isEmpty()) {
            parts.add(ThreadNumbers.text(exited, "has exited", "have exited"));
        }
        return parts;
    }

    private String missing(BlockState block, ThreadState t) {
        int missing = block.warps().missing(t);
        return missing == 0 ? "the rest of the " + meeting(t.pc) : LaneNumbers.text(missing) + " of warp "
                + t.index / Warp.LANES;
    }

    /** Who comes together at an operation. */
    String meeting(int pc) {
        return switch (program.ops()[pc].bare()) {
            case MmaOps.Warpgroup _, MmaOps.Group _ -> "warpgroup";
            default -> "warp";
        };
    }

    /** A step, as a person finds it. */
    private String place(int pc) {
        if (program.step(pc) == 0) {
            return "the " + purpose(pc);
        }
        Step step = program.steps().step(program.step(pc));
        return "step " + program.step(pc) + " ('" + purpose(pc) + "'"
                + step.javaLine().map(line -> ", " + line).orElse("") + ")";
    }

    private String purpose(int pc) {
        return program.purpose(pc);
    }

    private static Map<String, List<Integer>> byText(BlockState block, Status status,
            Function<ThreadState, String> text) {
        return byText(block, t -> t.status == status, text);
    }

    private static Map<String, List<Integer>> byText(BlockState block, Predicate<ThreadState> which,
            Function<ThreadState, String> text) {
        Map<String, List<Integer>> byText = new LinkedHashMap<>();
        for (ThreadState t : block.threads()) {
            if (which.test(t)) {
                byText.computeIfAbsent(text.apply(t), _ -> new ArrayList<>()).add(t.index);
            }
        }
        return byText;
    }

    private static List<Integer> threads(BlockState block, Predicate<ThreadState> which) {
        return Arrays.stream(block.threads()).filter(which).map(t -> t.index).toList();
    }
}
