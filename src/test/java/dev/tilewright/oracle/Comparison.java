package dev.tilewright.oracle;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.explore.Exploration;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * The check's verdict on one kernel beside the explorer's.
 *
 * @param result how the two stand to each other
 * @param rule for {@link Result#STRICTER} the rule of {@code docs/memory-model.md} that explains it
 */
record Comparison(Sample sample, Exploration verdict, Set<HazardCode> codes, String report, Result result,
        String rule) {

    private static final long MOST_STEPS = 200_000;

    /** How the two verdicts stand to each other. */
    enum Result {
        BOTH_RIGHT, BOTH_WRONG,
        /** The check accuses by a rule that is stricter than what can be seen in bytes. */
        STRICTER,
        /** The check accuses, and no rule says why. */
        ACCUSED,
        /** The check is silent about a mistake. */
        MISSED,
        /** The explorer did not come to an end. */
        UNKNOWN
    }

    static Comparison of(Sample sample, int mostStates) {
        Exploration verdict = Explorer.explore(sample.launch(), Sample.memory(), mostStates);
        Set<HazardCode> codes;
        String said;
        try {
            HazardReport report = check(sample);
            codes = report.codes();
            said = report.toString();
        } catch (ReferenceStoppedException e) {
            // A loop that polls for ever is one of its own thread, which the check cannot tell from a long one.
            codes = Set.of(HazardCode.DEADLOCK);
            said = e.getMessage();
        }
        boolean accused = !codes.isEmpty();
        Result result;
        String rule = "";
        if (verdict.isWrong()) {
            result = accused ? Result.BOTH_WRONG : Result.MISSED;
        } else if (verdict.bounded()) {
            result = Result.UNKNOWN;
        } else if (!accused) {
            result = Result.BOTH_RIGHT;
        } else {
            rule = Strictness.rule(verdict, codes);
            result = rule.isEmpty() ? Result.ACCUSED : Result.STRICTER;
        }
        return new Comparison(sample, verdict, codes, said, result, rule);
    }

    /** Whether the two agree, or a rule says why not, and what was drawn to be right is so for both. */
    boolean isFine() {
        return switch (result) {
            case BOTH_RIGHT -> true;
            case UNKNOWN -> sample.isEdited() || codes.isEmpty();
            case BOTH_WRONG, STRICTER -> sample.isEdited();
            case ACCUSED, MISSED -> false;
        };
    }

    private static HazardReport check(Sample sample) {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = Sample.memory().stream().map(bytes -> {
                MemorySegment m = arena.allocate(bytes.length, 256);
                m.copyFrom(MemorySegment.ofArray(bytes));
                return m;
            }).toList();
            return HazardCheck.check(sample.launch(), memory, HazardOptions.DEFAULT.withMostSteps(MOST_STEPS));
        }
    }

    /** What is needed to look into it. */
    @Override
    public String toString() {
        return result + " " + rule + ": " + sample.what() + "\n  explorer: " + verdict.why() + " "
                + verdict.endings() + ", races " + verdict.races() + ", " + verdict.states() + " states\n  check: "
                + report.replace("\n", "\n    ");
    }
}
