package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.StepLocation;
import dev.tilewright.hazard.mutant.MutantResult;
import dev.tilewright.hazard.mutant.MutantVerdict;
import java.util.List;
import java.util.Set;

/**
 * What {@code check --json} prints.
 *
 * @param clean presets without a finding
 * @param mutants how many are mistakes, found or missed
 * @param harmless how many mutants are not mistakes
 */
public record CheckDocument(List<CheckedPreset> presets, int clean, int mutants, int found, int missed, int harmless) {
    /**
     * A preset, with a report of each launch.
     *
     * @param mutants left out where none were asked for
     * @param bankConflicts of the first launch; left out where they were not asked for
     * @param exhaustive what every order shows; left out where that was not asked for
     * @param stopped why the check did not come to its end; left out where it did
     */
    public record CheckedPreset(String preset, boolean clean, List<Launch> launches,
            @JsonInclude(JsonInclude.Include.NON_NULL) List<Mutant> mutants,
            @JsonInclude(JsonInclude.Include.NON_NULL) BankDocument bankConflicts,
            @JsonInclude(JsonInclude.Include.NON_NULL) Exhaustive exhaustive,
            @JsonInclude(JsonInclude.Include.NON_NULL) String stopped) { }

    /**
     * One launch's report.
     *
     * @param complete whether the run reached its end
     * @param notAnalysed left out where every step was analysed
     */
    public record Launch(boolean complete, int blocks, long checkedBytes, List<Finding> findings,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<NotAnalysed> notAnalysed) {
        static Launch of(HazardReport report) {
            return new Launch(report.complete(), report.blocks(), report.checkedBytes(),
                    report.findings().stream().map(Finding::of).toList(),
                    report.notAnalysed().stream().map(NotAnalysed::of).toList());
        }
    }

    /**
     * A step that the check could not follow.
     *
     * @param needs the first target that has the form; left out where that is not why
     */
    public record NotAnalysed(String form, @JsonInclude(JsonInclude.Include.NON_NULL) String needs, int step,
            String purpose, int line, String reason) {
        static NotAnalysed of(dev.tilewright.hazard.NotAnalysed n) {
            return new NotAnalysed(n.form(), n.needs().map(Object::toString).orElse(null), n.location().step(),
                    n.location().purpose(), n.location().line(), n.reason());
        }
    }

    /**
     * A finding.
     *
     * @param line of the emitted source
     * @param javaLine that added the step; left out where it is not known
     * @param bytes left out where it is not about bytes
     * @param alsoAt other steps where the same shows; left out where there are none
     */
    public record Finding(HazardCode code, int step, String purpose, int line,
            @JsonInclude(JsonInclude.Include.NON_NULL) String javaLine, int otherStep, int block,
            @JsonInclude(JsonInclude.Include.NON_NULL) String bytes, String wanted, String fix, String message,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Integer> alsoAt) {
        static Finding of(dev.tilewright.hazard.Finding f) {
            return new Finding(f.code(), f.step(), f.purpose(), f.line(),
                    f.location().javaLine().map(Object::toString).orElse(null), f.otherStep(), f.block(),
                    f.place().map(Object::toString).orElse(null), f.wanted(), f.fix(), f.message(),
                    f.alsoAt().stream().map(StepLocation::step).toList());
        }
    }

    /** What became of a mutant. @param line of the edited step, in the source emitted for the preset */
    public record Mutant(String mutant, String edit, int step, int line, MutantVerdict verdict, Set<HazardCode> codes,
            String reason) {
        static Mutant of(MutantResult result, CudaSource source) {
            int step = result.mutant().step();
            return new Mutant(result.mutant().name(), result.mutant().edit(), step, source.lineOf(step),
                    result.verdict(), result.report().codes(), result.reason());
        }
    }
}
