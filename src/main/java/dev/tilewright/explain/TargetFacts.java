package dev.tilewright.explain;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.KernelResources;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Multiprocessor.Limit;
import dev.tilewright.ptx.Multiprocessor;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A kernel on one target.
 *
 * @param target such as {@code sm_90a}
 * @param compiled what the compiler says it takes; empty with a reason
 * @param blocks how many each limit allows on one multiprocessor; empty where the compute capability is not known, and
 *     without registers where they are not
 * @param reason why something is not known; else empty
 */
public record TargetFacts(String target, Optional<KernelResources> compiled, Map<Limit, Integer> blocks,
        String reason) {

    /** What compiles a program for a target. */
    interface Compiler extends Function<Target, KernelResources> { }

    static TargetFacts of(TileProgram program, Target target, Compiler compiler) {
        Optional<KernelResources> compiled = Optional.empty();
        String reason = "";
        try {
            compiled = Optional.of(compiler.apply(target));
        } catch (MissingRequirementException | CompilationException | BadRequestException e) {
            reason = "not compiled: " + e.getMessage().lines().findFirst().orElse("");
        }
        int registers = compiled.map(KernelResources::registers).orElse(0);
        Map<Limit, Integer> blocks = Multiprocessor.of(target).map(m -> m.allowed(program.threads(), registers,
                program.shared().bytes())).orElse(Map.of());
        if (blocks.isEmpty() && reason.isEmpty()) {
            reason = "the limits of this compute capability are not known here";
        }
        return new TargetFacts(target.toString(), compiled, blocks, reason);
    }

    /** Blocks that one multiprocessor runs at once, as far as the limits are known. */
    public Optional<Integer> blocksAtOnce() {
        return blocks.isEmpty() ? Optional.empty() : Optional.of(Collections.min(blocks.values()));
    }

    /** {@code 40 registers, no spills; 3 blocks per multiprocessor, limited by shared memory (other limits: …)}. */
    String line(int bytesInFlight) {
        List<String> parts = new ArrayList<>();
        compiled.map(TargetFacts::words).ifPresent(parts::add);
        blocksAtOnce().ifPresent(least -> {
            parts.add((compiled.isPresent() ? "" : "at most ") + Counted.of(least, "block")
                    + " per multiprocessor, limited by " + limiting(least) + others(least));
            if (bytesInFlight > 0) {
                parts.add("at most " + (long) least * bytesInFlight + " bytes in flight on it");
            }
        });
        if (!reason.isEmpty()) {
            parts.add(reason);
        }
        return String.format("%-9s %s", target, String.join("; ", parts));
    }

    private static String words(KernelResources compiled) {
        boolean spills = compiled.spillStoreBytes() + compiled.spillLoadBytes() > 0;
        return Counted.of(compiled.registers(), "register") + ", " + (spills ? "spills of " + compiled.spillStoreBytes()
                + " bytes stored and " + compiled.spillLoadBytes() + " loaded" : "no spills")
                + (compiled.stackBytes() == 0 ? "" : ", a stack of " + Counted.of(compiled.stackBytes(), "byte"));
    }

    private String others(int least) {
        String others = blocks.entrySet().stream().filter(e -> e.getValue() != least)
                .map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining(", "));
        return others.isEmpty() ? "" : " (other limits: " + others + ")";
    }

    private String limiting(int least) {
        return blocks.entrySet().stream().filter(e -> e.getValue() == least).map(e -> e.getKey().toString())
                .collect(Collectors.joining(" and "));
    }

    List<String> remarks() {
        return compiled.map(KernelResources::remarks).orElse(List.of());
    }
}
