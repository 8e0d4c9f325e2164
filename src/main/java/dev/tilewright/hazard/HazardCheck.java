package dev.tilewright.hazard;

import dev.tilewright.BadRequestException;
import dev.tilewright.hazard.analysis.HazardAnalysis;
import dev.tilewright.hazard.analysis.HazardAnalysis.Outcome;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;

/** Checks a launch for hazards: every access that nothing orders after one that it must come after. */
public final class HazardCheck {

    private HazardCheck() {
    }

    /** Checks all blocks; see {@link #check(Launch, List, HazardOptions)}. */
    public static HazardReport check(Launch launch, List<MemorySegment> memory) {
        return check(launch, memory, HazardOptions.DEFAULT);
    }

    /**
     * Runs the launch on the CPU and checks it.
     *
     * @param memory what the launch's buffer numbers stand for; it is worked on as a run of the kernel works on it
     * @throws BadRequestException if it is too large to check as asked; the message says what would do
     */
    public static HazardReport check(Launch launch, List<MemorySegment> memory, HazardOptions options) {
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(memory, "memory");
        Objects.requireNonNull(options, "options");
        String name = launch.program().name();
        if (launch.blocks() == 0) {
            return new HazardReport(name, 0, 0, 0, true, List.of());
        }
        Launch resolved = launch.resolved();
        int cluster = resolved.program().clusterBlocks();
        int wanted = options.firstBlocks() == 0 ? launch.blocks() : Math.min(launch.blocks(),
                Math.ceilDiv(options.firstBlocks(), cluster) * cluster);
        requireSize(launch, memory, options, wanted);
        Findings findings = new Findings(resolved.program(), options.mostFindings());
        List<byte[]> before = options.seeds().isEmpty() ? List.of()
                : memory.stream().map(m -> m.toArray(ValueLayout.JAVA_BYTE)).toList();
        Outcome first = HazardAnalysis.run(resolved, memory, wanted, ReferenceOptions.DEFAULT, findings);
        boolean complete = first.complete();
        for (long seed : options.seeds()) {
            for (int i = 0; i < memory.size(); i++) {
                if (!memory.get(i).isReadOnly()) {
                    memory.get(i).copyFrom(MemorySegment.ofArray(before.get(i)));
                }
            }
            complete &= HazardAnalysis.run(resolved, memory, wanted, ReferenceOptions.DEFAULT.withSeed(seed), findings)
                    .complete();
        }
        return new HazardReport(name, wanted, launch.blocks(), first.bytes(), complete,
                BlockPlaces.named(findings.all(), launch.shape()),
                findings.notAnalysed());
    }

    /**
     * How many of a launch's first blocks, in whole clusters, are within the options' limit; 0 if not even one cluster
     * is.
     */
    public static int blocksThatFit(Launch launch, List<MemorySegment> memory, HazardOptions options) {
        long all = bytes(memory);
        if (all <= options.mostBytes()) {
            return launch.blocks();
        }
        int cluster = launch.resolved().program().clusterBlocks();
        return (int) ((double) options.mostBytes() * launch.blocks() / all) / cluster * cluster;
    }

    /** What a launch is taken to touch: all its memory, each block an equal share. */
    private static long bytes(List<MemorySegment> memory) {
        return memory.stream().mapToLong(MemorySegment::byteSize).sum();
    }

    private static void requireSize(Launch launch, List<MemorySegment> memory, HazardOptions options, int blocks) {
        int fitting = blocksThatFit(launch, memory, options);
        if (blocks <= fitting) {
            return;
        }
        long touched = (long) Math.ceil((double) bytes(memory) * blocks / launch.blocks());
        throw new BadRequestException("kernel '" + launch.program().name() + "': checking " + blocks + " of "
                + launch.blocks() + " blocks would follow about " + touched + " bytes of memory, and the limit is "
                + options.mostBytes() + ": " + (fitting > 0 ? "check the first " + fitting + " blocks, or " : "")
                + "raise the limit");
    }
}
