package dev.tilewright.hazard.check;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.analysis.HazardAnalysis.Outcome;
import dev.tilewright.hazard.analysis.HazardAnalysis;
import dev.tilewright.hazard.analysis.PriorGrid;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.layout.Saturating;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Checks a launch for hazards: every access that nothing orders after one that it must come after. */
public final class HazardCheck {

    /** Bytes that are put back in the time that a step takes, or fewer. */
    private static final int BYTES_OF_A_STEP = 64;
    /** More orders than these are not tried unless they are asked for. */
    private static final int MOST_EXTRA_ORDERS = 8;

    private HazardCheck() { }

    /** Checks all blocks; see {@link #check(Launch, List, HazardOptions)}. */
    public static HazardReport check(Launch launch, List<MemorySegment> memory) {
        NotNull.all("launch, memory", launch, memory);
        return check(launch, memory, HazardOptions.DEFAULT);
    }

    /**
     * Runs the launch on the CPU and checks it.
     *
     * @param memory what the launch's buffer numbers stand for; it is left as the run in the fixed order leaves it
     * @throws BadRequestException if it is too large to check as asked; the message says what would do
     * @throws ReferenceStoppedException if this thread is interrupted; also if a run takes more steps or time than the
     *     options allow and nothing was found before: the message says where the threads were. Where something was
     *     found, the report says so and is not complete
     */
    public static HazardReport check(Launch launch, List<MemorySegment> memory, HazardOptions options) {
        NotNull.all("launch, memory, options", launch, memory, options);
        return check(launch, memory, options, null);
    }

    /** Checks a launch that begins while another one runs; see {@link #check(Launch, Launch, List, HazardOptions)}. */
    public static HazardReport check(Launch first, Launch second, List<MemorySegment> memory) {
        NotNull.all("first, second, memory", first, second, memory);
        return check(first, second, memory, HazardOptions.DEFAULT);
    }

    /**
     * Checks a launch that may begin before the one in front of it has ended, as programmatic dependent launches do:
     * what both touch, one of them to write, must come after {@code griddepcontrol.wait}
     * ({@link dev.tilewright.program.Body#waitForPriorGrid}) in the second, or it is
     * {@link HazardCode#PRIOR_GRID_NOT_AWAITED}. The first is run, and judged by a check of its own.
     *
     * <p>Where the first begins early itself, the launches in front of it may still run as well when the second begins,
     * though they end before anything that the second does after it has waited: check the second behind each of them.
     *
     * @param memory what the buffer numbers of both stand for; it is left as both leave it, one after the other
     * @return the report of the second; of the first where that does not come to its end
     * @throws BadRequestException if one is too large to check as asked; the message says what would do
     * @throws ReferenceStoppedException as {@link #check(Launch, List, HazardOptions)} does
     */
    public static HazardReport check(Launch first, Launch second, List<MemorySegment> memory, HazardOptions options) {
        NotNull.all("first, second, memory, options", first, second, memory, options);
        if (first.blocks() == 0) {
            return check(second, memory, options);
        }
        requireSize(first, memory, options, first.blocks());
        Launch resolved = first.resolved();
        FindingSet findings = new FindingSet(resolved.program(), options.mostFindings());
        ReferenceOptions how = reference(resolved, options);
        return limited(() -> HazardAnalysis.prior(resolved, memory, how, findings))
                .map(prior -> check(second, memory, options, prior))
                .orElseGet(() -> new HazardReport(first.program().name(), first.blocks(), first.blocks(), 0, false,
                        BlockPlaces.named(findings.all(), first.shape()), findings.notAnalysed()));
    }

    private static ReferenceOptions reference(Launch resolved, HazardOptions options) {
        int resident = options.residentBlocks() == 0 ? Residency.onH200(resolved.program()) : options.residentBlocks();
        return options.limited(ReferenceOptions.DEFAULT.withResidentBlocks(resident).withApproximations());
    }

    /** @param prior the launch that may still run when this one begins; null for none */
    private static HazardReport check(Launch launch, List<MemorySegment> memory, HazardOptions options,
            PriorGrid prior) {
        String name = launch.program().name();
        if (launch.blocks() == 0) {
            return new HazardReport(name, 0, 0, 0, true, List.of());
        }
        Launch resolved = launch.resolved();
        int cluster = resolved.program().clusterBlocks();
        int wanted = options.firstBlocks() == 0 ? launch.blocks() : (int) Math.min(launch.blocks(),
                Saturating.roundUp(options.firstBlocks(), cluster));
        requireSize(launch, memory, options, wanted);
        FindingSet findings = new FindingSet(resolved.program(), options.mostFindings());
        ReferenceOptions fixed = reference(resolved, options);
        long start = System.nanoTime();
        boolean mayRepeat = !options.seeds().isEmpty() || bytes(memory) / BYTES_OF_A_STEP <= options.extraSteps();
        MemoryImage before = mayRepeat ? MemoryImage.of(memory) : null;
        Outcome first =
                limited(() -> HazardAnalysis.run(resolved, memory, wanted, fixed, findings, prior));
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
                    complete &= limited(() -> HazardAnalysis.run(resolved, memory, wanted, fixed.withSeed(seed)
                            .withMostTime(left.isPositive() ? left : Duration.ofNanos(1)), findings, prior)).complete();
                }
            } finally {
                after.putBack(memory);
            }
        }
        return new HazardReport(name, wanted, launch.blocks(), first.bytes(), complete,
                BlockPlaces.named(findings.all(), launch.shape()),
                findings.notAnalysed());
    }

    /** A run with the limits that are this check's. */
    private static <T> T limited(Supplier<T> run) {
        try {
            return run.get();
        } catch (ReferenceStoppedException e) {
            throw e.limitedBy("HazardOptions.withMostSteps", "HazardOptions.withMostTime");
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
        NotNull.all("launch, memory, options", launch, memory, options);
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
                + Counted.of(launch.blocks(), "block") + " would follow about " + Counted.of(touched, "byte")
                + " of memory, and the limit is "
                + options.mostBytes() + ": " + (fitting > 0 ? "check the first " + Counted.of(fitting, "block")
                + ", or " : "") + "raise the limit");
    }
}
