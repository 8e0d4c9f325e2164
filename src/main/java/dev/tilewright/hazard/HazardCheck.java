package dev.tilewright.hazard;

import dev.tilewright.BadRequestException;
import dev.tilewright.hazard.analysis.HazardAnalysis;
import dev.tilewright.hazard.analysis.HazardAnalysis.Outcome;
import dev.tilewright.hazard.report.Findings;
import dev.tilewright.layout.Saturating;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

/** Checks a launch for hazards: every access that nothing orders after one that it must come after. */
public final class HazardCheck {

    /** Bytes that are put back in the time that a step takes, or fewer. */
    private static final int BYTES_OF_A_STEP = 64;
    /** More orders than these are not tried unless they are asked for. */
    private static final int MOST_EXTRA_ORDERS = 8;

    private HazardCheck() {
    }

    /** Checks all blocks; see {@link #check(Launch, List, HazardOptions)}. */
    public static HazardReport check(Launch launch, List<MemorySegment> memory) {
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(memory, "memory");
        return check(launch, memory, HazardOptions.DEFAULT);
    }

    /**
     * Runs the launch on the CPU and checks it.
     *
     * @param memory what the launch's buffer numbers stand for; it is left as the run in the fixed order leaves it
     * @throws BadRequestException if it is too large to check as asked; the message says what would do
     * @throws ReferenceStoppedException if this thread is interrupted; also if a run takes more steps or time than the
     *     options allow and nothing was found before: the message names a thread that still ran. Where something was
     *     found, the report says so and is not complete
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
        int wanted = options.firstBlocks() == 0 ? launch.blocks() : (int) Math.min(launch.blocks(),
                Saturating.roundUp(options.firstBlocks(), cluster));
        requireSize(launch, memory, options, wanted);
        Findings findings = new Findings(resolved.program(), options.mostFindings());
        int resident = options.residentBlocks() == 0 ? Residency.onH200(resolved.program()) : options.residentBlocks();
        ReferenceOptions fixed = ReferenceOptions.DEFAULT.withResidentBlocks(resident).withApproximations()
                .withMostSteps(options.mostSteps());
        long start = System.nanoTime();
        boolean mayRepeat = !options.seeds().isEmpty() || bytes(memory) / BYTES_OF_A_STEP <= options.extraSteps();
        MemoryImage before = mayRepeat ? MemoryImage.of(memory) : null;
        Outcome first = run(resolved, memory, wanted, fixed.withMostTime(options.mostTime()), findings);
        boolean complete = first.complete();
        if (mayRepeat) {
            MemoryImage after = MemoryImage.of(memory);
            try {
                for (long seed : seeds(options, first, findings.isEmpty())) {
                    if (options.seeds().isEmpty() && !findings.isEmpty()) {
                        break;
                    }
                    before.putBack(memory);
                    Duration left = options.mostTime().minusNanos(System.nanoTime() - start);
                    complete &= run(resolved, memory, wanted, fixed.withSeed(seed)
                            .withMostTime(left.isPositive() ? left : Duration.ofNanos(1)), findings).complete();
                }
            } finally {
                after.putBack(memory);
            }
        }
        return new HazardReport(name, wanted, launch.blocks(), first.bytes(), complete,
                BlockPlaces.named(findings.all(), launch.shape()),
                findings.notAnalysed());
    }

    private static Outcome run(Launch launch, List<MemorySegment> memory, int blocks, ReferenceOptions options,
            Findings findings) {
        try {
            return HazardAnalysis.run(launch, memory, blocks, options, findings);
        } catch (ReferenceStoppedException e) {
            throw e.limitedBy("HazardOptions");
        }
    }

    /**
     * The orders in which a run is repeated: those asked for, or as many as are cheap. What is found already would only
     * be found again, with what follows from it.
     */
    private static List<Long> seeds(HazardOptions options, Outcome first, boolean clean) {
        if (!options.seeds().isEmpty()) {
            return options.seeds();
        }
        if (!clean || !first.complete() || first.events() > options.extraSteps()) {
            return List.of();
        }
        long cheap = options.extraSteps() / Math.max(1, first.events());
        return LongStream.rangeClosed(1, Math.min(cheap, MOST_EXTRA_ORDERS)).boxed().toList();
    }

    /**
     * How many of a launch's first blocks, in whole clusters, are within the options' limit; 0 if not even one cluster
     * is.
     */
    public static int blocksThatFit(Launch launch, List<MemorySegment> memory, HazardOptions options) {
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(memory, "memory");
        Objects.requireNonNull(options, "options");
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
