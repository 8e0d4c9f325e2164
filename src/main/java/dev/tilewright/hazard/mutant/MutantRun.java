package dev.tilewright.hazard.mutant;

import dev.tilewright.Counted;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Tries the hazard check on mutants of one program, in one or several launches.
 *
 * <p>A mutant is found if a finding of some launch, or the other access that it names, is at a step that
 * {@link BlameOracle} calls right. A mutant of which the check reports nothing in any launch is harmless if its bytes
 * are those of the correct program in all of them, in the reference's fixed order and in those of several seeds; else
 * it is missed.
 */
public final class MutantRun {
    private record Expected(MutationTarget target, List<MemorySegment> results) { }

    private final List<Expected> launches;
    private final int seeds;
    private final HazardOptions options;
    private final BlameOracle oracle;

    /** With the hazard check's default options. */
    public MutantRun(List<MutationTarget> targets, Arena arena, int seeds) {
        this(targets, arena, seeds, HazardOptions.DEFAULT);
    }

    /**
     * @param targets launches of the same program, at least one
     * @param arena holds what the correct program leaves
     * @param seeds how many orders a mutant's bytes are looked at in, besides the fixed one
     * @param options of each check; their limits are also those of runs without a check
     */
    public MutantRun(List<MutationTarget> targets, Arena arena, int seeds, HazardOptions options) {
        TileProgram program = targets.getFirst().launch().program();
        this.seeds = seeds;
        this.options = options;
        this.oracle = new BlameOracle(program);
        this.launches = targets.stream()
                .map(target ->
                new Expected(target, run(target, program, arena, inOrder())))
                        .toList();
    }

    /** Tries one mutant. */
    public MutantResult of(Mutant mutant) {
        Optional<MutantResult> elsewhere = Optional.empty();
        HazardReport clean = null;
        for (Expected launch : launches) {
            HazardReport report;
            try {
                report = check(launch.target, mutant.program());
            } catch (ReferenceStoppedException e) {
                return new MutantResult(mutant, MutantVerdict.FOUND, "it does not end: " + unlessInterrupted(e),
                        new HazardReport(mutant.program().name(), 0, launch.target.launch().blocks(), 0, false,
                                List.of()));
            }
            Optional<Finding> right = report.findings().stream().filter(f -> isRight(mutant, f)).findFirst();
            if (right.isPresent()) {
                return new MutantResult(mutant, MutantVerdict.FOUND, right.get().toString(), report);
            }
            if (report.isClean()) {
                clean = report;
            } else {
                elsewhere = Optional.of(new MutantResult(mutant, MutantVerdict.MISSED,
                        "the finding has nothing to do with the edit: " + report.findings().getFirst(), report));
            }
        }
        return elsewhere.isPresent() ? elsewhere.get() : byItsBytes(mutant, clean);
    }

    private MutantResult byItsBytes(Mutant mutant, HazardReport clean) {
        for (Expected launch : launches) {
            for (int seed = 0; seed <= seeds; seed++) {
                Optional<String> difference = difference(launch, mutant.program(), seed);
                if (difference.isPresent()) {
                    return new MutantResult(mutant, MutantVerdict.MISSED, "nothing is reported, and "
                            + difference.get(), clean);
                }
            }
        }
        return new MutantResult(mutant, MutantVerdict.HARMLESS,
                "every access is still ordered, and the bytes are the same in the fixed order"
                + " and with " + Counted.of(seeds, "seed"), clean);
    }

    private HazardReport check(MutationTarget target, TileProgram program) {
        try (Arena arena = Arena.ofShared()) {
            return HazardCheck.check(target.of(program), target.memory(arena), options);
        }
    }

    private ReferenceOptions inOrder() {
        return options.limited(ReferenceOptions.DEFAULT.withApproximations());
    }

    private static String unlessInterrupted(ReferenceStoppedException e) {
        if (e.reason() == ReferenceStoppedException.Reason.INTERRUPT) {
            throw e;
        }
        return e.getMessage();
    }

    private boolean isRight(Mutant mutant, Finding finding) {
        return IntStream.of(finding.step(), finding.otherStep())
                .anyMatch(step -> oracle.isRight(mutant, mutant.origin(step)));
    }

    /** How the program's run differs from the correct one's. @param seed 0 for the fixed order */
    private Optional<String> difference(Expected launch, TileProgram program, int seed) {
        ReferenceOptions how = seed == 0 ? inOrder() : inOrder().withSeed(seed);
        String order = seed == 0 ? "in the fixed order" : "with seed " + seed;
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> results = run(launch.target, program, arena, how);
            for (int i = 0; i < results.size(); i++) {
                long at = launch.results.get(i).mismatch(results.get(i));
                if (at >= 0) {
                    return Optional.of(order + " byte " + at + " of "
                            + (results.size() == 1 ? "the result" : "buffer " + launch.target.results().get(i))
                            + " differs");
                }
            }
            return Optional.empty();
        } catch (ReferenceException e) {
            return Optional.of(order + " the run ends with: " + e.getMessage());
        } catch (ReferenceStoppedException e) {
            return Optional.of(order + " the run does not end: " + unlessInterrupted(e));
        }
    }

    private static List<MemorySegment> run(MutationTarget target, TileProgram program, Arena arena,
            ReferenceOptions options) {
        List<MemorySegment> memory = target.memory(arena);
        Reference.run(target.of(program), memory, options);
        return target.results().stream().map(memory::get).toList();
    }
}
