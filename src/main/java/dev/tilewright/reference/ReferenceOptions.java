package dev.tilewright.reference;

import dev.tilewright.NotNull;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/**
 * How the reference runs a program.
 *
 * @param parallel whether blocks may run on several CPU threads at once; the result is the same, because it is done
 *     only where blocks are independent. A memory segment that only the calling thread may touch turns it off
 * @param poison what every byte of shared memory holds when a block starts
 * @param seed chooses the order of what the program leaves open; without one it is the fixed order that {@link
 *     Reference} describes. A correct program leaves the same bytes with every seed, but for sums of floats that
 *     several threads or copies add up in memory: their order, and so their rounding, is the seed's
 * @param residentBlocks how many blocks the imagined GPU holds at once, at least a cluster: more are started only when
 *     others have ended. It matters where blocks wait for each other
 * @param firstBlocks how many of the launch's blocks run, from the first on, a multiple of its cluster; 0 for all. The
 *     program still sees the whole grid's size
 * @param mostSteps after about this number of steps, added up over all threads of the program, the run is stopped; a
 *     step is one operation, a copy of many bytes too
 * @param mostTime after about this time the run is stopped; empty for no bound
 * @param approximations whether the hardware's approximations of functions are computed, as exactly as f32 allows: what
 *     comes of them is then near what a GPU makes, not the same. Without it a program that has them is refused
 * @param shortcuts whether the run may save work where that changes no byte; see {@link #plain()}
 * @param progress told now and then how many steps all threads of the program have taken so far, by one thread at a
 *     time
 */
public record ReferenceOptions(boolean parallel, byte poison, OptionalLong seed, int residentBlocks, int firstBlocks,
        long mostSteps, Optional<Duration> mostTime, boolean approximations, boolean shortcuts,
        LongConsumer progress) {
    private static final LongConsumer UNTOLD = _ -> { };

    /**
     * Parallel, with shared memory that starts as 0xCD bytes, in the fixed order, on a GPU that holds any grid at once.
     * A run that takes more than 10^12 steps or 10 minutes is stopped.
     */
    public static final ReferenceOptions DEFAULT = new ReferenceOptions(true, (byte) 0xCD)
            .withMostSteps(1_000_000_000_000L).withMostTime(Duration.ofMinutes(10));

    public ReferenceOptions {
        NotNull.all("seed, mostTime, progress", seed, mostTime, progress);
        if (residentBlocks < 1) {
            throw new IllegalArgumentException("at least 1 block must be resident, got " + residentBlocks);
        }
        if (firstBlocks < 0) {
            throw new IllegalArgumentException("at least 0 blocks run, got " + firstBlocks);
        }
        if (mostSteps < 1) {
            throw new IllegalArgumentException("a run needs at least 1 step, got " + mostSteps);
        }
        if (mostTime.isPresent() && !mostTime.get().isPositive()) {
            throw new IllegalArgumentException("a run needs some time, got " + mostTime.get());
        }
    }

    /** Options without a bound on steps or time. */
    public ReferenceOptions(boolean parallel, byte poison, OptionalLong seed, int residentBlocks, int firstBlocks) {
        this(parallel, poison, seed, residentBlocks, firstBlocks, Long.MAX_VALUE, Optional.empty(), false, true,
                UNTOLD);
    }

    /** Options for the fixed order, on a GPU that holds any grid at once. */
    public ReferenceOptions(boolean parallel, byte poison) {
        this(parallel, poison, OptionalLong.empty(), Integer.MAX_VALUE, 0);
    }

    /** These options with blocks run one after the other. */
    public ReferenceOptions sequential() {
        return new ReferenceOptions(false, poison, seed, residentBlocks, firstBlocks, mostSteps,
                mostTime, approximations, shortcuts, progress);
    }

    /** These options in the order that a seed chooses, on one CPU thread. */
    public ReferenceOptions withSeed(long seed) {
        return new ReferenceOptions(parallel, poison, OptionalLong.of(seed), residentBlocks, firstBlocks, mostSteps,
                mostTime, approximations, shortcuts, progress);
    }

    /** These options for a GPU that holds {@code blocks} blocks at once. */
    public ReferenceOptions withResidentBlocks(int blocks) {
        return new ReferenceOptions(parallel, poison, seed, blocks, firstBlocks, mostSteps,
                mostTime, approximations, shortcuts, progress);
    }

    /** These options with the launch's first blocks alone; 0 for all. */
    public ReferenceOptions withFirstBlocks(int blocks) {
        return new ReferenceOptions(parallel, poison, seed, residentBlocks, blocks, mostSteps,
                mostTime, approximations, shortcuts, progress);
    }

    /**
     * These options for a run that is stopped after about {@code steps} steps of the program's threads, with a {@link
     * dev.tilewright.reference.fault.ReferenceStoppedException}.
     */
    public ReferenceOptions withMostSteps(long steps) {
        return new ReferenceOptions(parallel, poison, seed, residentBlocks, firstBlocks, steps, mostTime,
                approximations, shortcuts, progress);
    }

    /**
     * These options for a run that is stopped after about this time, with a {@link
     * dev.tilewright.reference.fault.ReferenceStoppedException}.
     */
    public ReferenceOptions withMostTime(Duration time) {
        Objects.requireNonNull(time, "time");
        return new ReferenceOptions(parallel, poison, seed, residentBlocks, firstBlocks, mostSteps, Optional.of(time),
                approximations, shortcuts, progress);
    }

    /** These options for programs with the hardware's approximations of functions. */
    public ReferenceOptions withApproximations() {
        return new ReferenceOptions(parallel, poison, seed, residentBlocks, firstBlocks, mostSteps, mostTime, true,
                shortcuts, progress);
    }

    /**
     * These options without shortcuts, on one CPU thread: each thread of the program performs its own steps, each loop
     * takes its turns, shared memory is filled with the poison when a block starts, and every copy moves its bytes when
     * it lands, a bulk store as late as it may. A run with shortcuts makes the same mistakes and, where no bulk stores
     * race, leaves the same bytes, many times faster; this is what it is tested against.
     */
    public ReferenceOptions plain() {
        return new ReferenceOptions(false, poison, seed, residentBlocks, firstBlocks, mostSteps, mostTime,
                approximations, false, progress);
    }

    /** These options for a run that tells how far it is; see {@link #progress}. */
    public ReferenceOptions withProgress(LongConsumer told) {
        Objects.requireNonNull(told, "told");
        return new ReferenceOptions(parallel, poison, seed, residentBlocks, firstBlocks, mostSteps, mostTime,
                approximations, shortcuts, told);
    }
}
