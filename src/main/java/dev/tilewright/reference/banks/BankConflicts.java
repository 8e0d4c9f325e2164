package dev.tilewright.reference.banks;

import dev.tilewright.NotNull;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The bank conflicts of a launch, counted by running it on the CPU:
 *
 * {@snippet :
 * BankConflicts banks = BankConflicts.of(launch, buffers);
 * assertEquals(0, banks.conflicts(), banks::toString);
 * }
 *
 * <p>Counted are ordinary loads and stores of a thread's own block, those with a scope, and the rows of ldmatrix and
 * stmatrix. Not counted are atomic updates, what is awaited in a loop, barriers, distributed shared memory, cp.async,
 * and all that goes through the asynchronous proxy (bulk and tensor copies, wgmma). What the lanes of a warp do at the
 * same step for the same time is one access: in a loop which lanes leave at different turns that is what hardware does
 * too, as far as they perform the step in every turn until then.
 *
 * @param kernel the program's name
 * @param blocks of the launch that were run
 * @param steps those with accesses that are counted, by their numbers
 */
public record BankConflicts(String kernel, int blocks, List<StepConflicts> steps) {
    public BankConflicts {
        NotNull.all("kernel, steps", kernel, steps);
        steps = List.copyOf(steps);
    }

    /**
     * Runs a launch and counts.
     *
     * @param memory what the launch's buffer numbers stand for; the results are in it afterwards
     * @throws dev.tilewright.reference.fault.ReferenceException if the program makes a mistake
     */
    public static BankConflicts of(Launch launch, List<MemorySegment> memory) {
        return of(launch, memory, ReferenceOptions.DEFAULT);
    }

    /** Runs a launch as options say, and counts: {@link ReferenceOptions#withFirstBlocks} makes it short. */
    public static BankConflicts of(Launch launch, List<MemorySegment> memory, ReferenceOptions options) {
        NotNull.all("launch, memory, options", launch, memory, options);
        TileProgram program = launch.resolved().program();
        BankCounter counter = new BankCounter(program);
        Reference.run(launch, memory, options, counter);
        return new BankConflicts(program.name(),
                options.firstBlocks() == 0 ? launch.blocks() : Math.min(options.firstBlocks(), launch.blocks()),
                counter.steps());
    }

    /** Accesses of whole warps. */
    public long accesses() {
        return steps.stream().mapToLong(StepConflicts::accesses).sum();
    }

    /** Wavefronts that they took. */
    public long wavefronts() {
        return steps.stream().mapToLong(StepConflicts::wavefronts).sum();
    }

    /** Wavefronts that they would have taken without a conflict. */
    public long ideal() {
        return steps.stream().mapToLong(StepConflicts::ideal).sum();
    }

    /** Wavefronts beyond the ideal. */
    public long conflicts() {
        return wavefronts() - ideal();
    }

    /**
     * The counts of a step, if it accesses shared memory.
     *
     * @param step its number
     */
    public Optional<StepConflicts> step(int step) {
        return steps.stream().filter(s -> s.step() == step).findFirst();
    }

    /** A line for the whole, and one for each step. */
    public List<String> lines() {
        return Stream.concat(Stream.of(kernel + ": " + accesses()
                + " accesses of warps to shared memory in " + blocks + (blocks == 1 ? " block, " : " blocks, ")
                + wavefronts() + " wavefronts, ideal " + ideal()), steps.stream().map(s -> "  " + s)).toList();
    }

    @Override
    public String toString() {
        return String.join(System.lineSeparator(), lines());
    }
}
