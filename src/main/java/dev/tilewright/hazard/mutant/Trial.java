package dev.tilewright.hazard.mutant;

import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.ReferenceException;
import dev.tilewright.reference.ReferenceLaunch;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Tries the hazard check on mutants of one launch.
 *
 * <p>A mutant is found if a finding, or the other access that it names, is at a step that {@link RightSteps} calls right. A
 * mutant of which the check reports nothing is harmless if its bytes are those of the correct program in the reference's
 * fixed order and in those of several seeds, for the launch that is tried; else it is missed.
 */
public final class Trial {
    private final Subject subject;
    private final int seeds;
    private final RightSteps rightSteps;
    private final MemorySegment expected;

    /**
     * @param arena holds what the correct program leaves
     * @param seeds how many orders a mutant's bytes are looked at in, besides the fixed one
     */
    public Trial(Subject subject, Arena arena, int seeds) {
        this.subject = subject;
        this.seeds = seeds;
        TileProgram program = subject.launch().program();
        this.rightSteps = new RightSteps(program);
        this.expected = run(program, arena, ReferenceOptions.DEFAULT);
    }

    /** Tries one mutant. */
    public TrialResult of(Mutant mutant) {
        HazardReport report;
        try (Arena arena = Arena.ofShared()) {
            report = HazardCheck.check(subject.of(mutant.program()), subject.memory(arena));
        }
        Optional<Finding> right = report.findings().stream().filter(f -> isRight(mutant, f)).findFirst();
        if (right.isPresent()) {
            return new TrialResult(mutant, Verdict.FOUND, right.get().toString(), report);
        }
        if (!report.isClean()) {
            return new TrialResult(mutant, Verdict.MISSED, "what is reported has nothing to do with the edit: "
                    + report.findings().getFirst(), report);
        }
        return difference(mutant.program())
                .map(difference -> new TrialResult(mutant, Verdict.MISSED, "nothing is reported, and " + difference, report))
                .orElseGet(() -> new TrialResult(mutant, Verdict.HARMLESS, "every access is still ordered, and the bytes are the same"
                        + " in the fixed order and with " + seeds + " seeds", report));
    }

    private boolean isRight(Mutant mutant, Finding finding) {
        return IntStream.of(finding.step(), finding.otherStep()).anyMatch(step -> rightSteps.isRight(mutant, mutant.origin(step)));
    }

    /** How the program's run differs from the correct one's, in the first order in which it does. */
    private Optional<String> difference(TileProgram program) {
        return IntStream.rangeClosed(0, seeds).mapToObj(seed -> difference(program, seed)).flatMap(Optional::stream).findFirst();
    }

    private Optional<String> difference(TileProgram program, int seed) {
        ReferenceOptions options = seed == 0 ? ReferenceOptions.DEFAULT : ReferenceOptions.DEFAULT.withSeed(seed);
        String order = seed == 0 ? "in the fixed order" : "with seed " + seed;
        try (Arena arena = Arena.ofShared()) {
            long at = expected.mismatch(run(program, arena, options));
            return at < 0 ? Optional.empty() : Optional.of(order + " byte " + at + " of the result differs");
        } catch (ReferenceException e) {
            return Optional.of(order + " the run ends with: " + e.getMessage());
        }
    }

    private MemorySegment run(TileProgram program, Arena arena, ReferenceOptions options) {
        List<MemorySegment> memory = subject.memory(arena);
        ReferenceLaunch.run(subject.of(program), memory, options);
        return memory.get(1);
    }
}
