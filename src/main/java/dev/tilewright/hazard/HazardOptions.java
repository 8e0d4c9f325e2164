package dev.tilewright.hazard;

import dev.tilewright.NotNull;
import dev.tilewright.reference.ReferenceOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * How much is checked.
 *
 * @param firstBlocks how many blocks are checked, from the first on, rounded up to whole clusters; 0 for all
 * @param seeds orders in which the run is repeated, as a second net for what one order of events does not show; the
 *     memory is put back in between. Where none are given and nothing was found, a few are tried as far as they are
 *     cheap
 * @param mostBytes the largest program that is checked, in bytes of memory that it may touch
 * @param mostFindings after this many, no more are collected
 * @param extraSteps how cheap: orders that are not asked for are tried while all of them together take no more than
 *     about this many steps of threads, and memory has no more than 64 bytes for each of these; 0 for none
 * @param residentBlocks how many blocks the GPU holds at once, which matters where blocks wait for each other; 0 for as
 *     many as an H200 has room for, by their threads and shared memory
 * @param mostSteps a run that takes more steps, added up over all threads of the program, is stopped
 * @param mostTime a check that takes longer is stopped
 * @param progress told now and then how many steps all threads of the run under way have taken, by one thread at a time
 */
public record HazardOptions(int firstBlocks, List<Long> seeds, long mostBytes, int mostFindings, long extraSteps,
        int residentBlocks, long mostSteps, Duration mostTime, LongConsumer progress) {

    /**
     * All blocks, in the fixed order and a few cheap ones, up to 256 MiB, 100 findings, 10^11 steps and 10 minutes, on
     * an H200.
     */
    public static final HazardOptions DEFAULT = new HazardOptions(0, List.of(), 256L << 20, 100, 10_000, 0,
            100_000_000_000L, Duration.ofMinutes(10), _ -> { });

    public HazardOptions {
        NotNull.all("seeds, mostTime, progress", seeds, mostTime, progress);
        seeds = List.copyOf(seeds);
        if (firstBlocks < 0 || mostBytes < 1 || mostFindings < 1) {
            throw new IllegalArgumentException("at least 0 blocks, 1 byte and 1 finding, got " + firstBlocks + ", "
                    + mostBytes + " and " + mostFindings);
        }
        if (mostSteps < 1 || !mostTime.isPositive()) {
            throw new IllegalArgumentException("at least 1 step and some time, got " + mostSteps + " and " + mostTime);
        }
        if (extraSteps < 0 || residentBlocks < 0) {
            throw new IllegalArgumentException("at least 0 extra steps and 0 resident blocks, got " + extraSteps
                    + " and " + residentBlocks);
        }
    }

    /** Options with only the given orders, for an H200. */
    public HazardOptions(int firstBlocks, List<Long> seeds, long mostBytes, int mostFindings) {
        this(firstBlocks, seeds, mostBytes, mostFindings, 0, 0, DEFAULT.mostSteps, DEFAULT.mostTime,
                DEFAULT.progress);
    }

    /** The default, with only the first n blocks. */
    public static HazardOptions firstBlocks(int n) {
        return DEFAULT.withFirstBlocks(n);
    }

    /** These options with another number of blocks to check, 0 for all. */
    public HazardOptions withFirstBlocks(int blocks) {
        return new HazardOptions(blocks, seeds, mostBytes, mostFindings, extraSteps, residentBlocks, mostSteps,
                mostTime, progress);
    }

    /** These options with these seeds in place of its own: the run is repeated in one order for each. */
    public HazardOptions withSeeds(Long... seeds) {
        NotNull.all("seeds", (Object) seeds);
        return new HazardOptions(firstBlocks, List.of(seeds), mostBytes, mostFindings, extraSteps, residentBlocks,
                mostSteps, mostTime, progress);
    }

    /** These options with another limit on the memory that a program may touch, in bytes. */
    public HazardOptions withMostBytes(long bytes) {
        return new HazardOptions(firstBlocks, seeds, bytes, mostFindings, extraSteps, residentBlocks, mostSteps,
                mostTime, progress);
    }

    /** These options with another limit on the steps of orders that are not asked for. */
    public HazardOptions withExtraSteps(long steps) {
        return new HazardOptions(firstBlocks, seeds, mostBytes, mostFindings, steps, residentBlocks, mostSteps,
                mostTime, progress);
    }

    /** These options for a GPU that holds {@code blocks} blocks at once, 0 for as many as an H200. */
    public HazardOptions withResidentBlocks(int blocks) {
        return new HazardOptions(firstBlocks, seeds, mostBytes, mostFindings, extraSteps, blocks, mostSteps,
                mostTime, progress);
    }

    /** These options with another limit of steps for each run, added up over all threads of the program. */
    public HazardOptions withMostSteps(long steps) {
        return new HazardOptions(firstBlocks, seeds, mostBytes, mostFindings, extraSteps, residentBlocks, steps,
                mostTime, progress);
    }

    /** These options with another limit of time for the whole check. */
    public HazardOptions withMostTime(Duration time) {
        Objects.requireNonNull(time, "time");
        return new HazardOptions(firstBlocks, seeds, mostBytes, mostFindings, extraSteps, residentBlocks, mostSteps,
                time, progress);
    }

    /** These options for a check whose runs tell how far they are; see {@link #progress}. */
    public HazardOptions withProgress(LongConsumer told) {
        Objects.requireNonNull(told, "told");
        return new HazardOptions(firstBlocks, seeds, mostBytes, mostFindings, extraSteps, residentBlocks, mostSteps,
                mostTime, told);
    }

    /** A run with the limits of this check, and its progress. */
    public ReferenceOptions limited(ReferenceOptions run) {
        Objects.requireNonNull(run, "run");
        return run.withMostSteps(mostSteps).withMostTime(mostTime).withProgress(progress);
    }
}
