package dev.tilewright.hazard.mutant;

import dev.tilewright.hazard.HazardReport;

/**
 * A mutant's verdict.
 *
 * @param reason in one line: the finding that found it, or why it is harmless or missed
 * @param report what the hazard check reports of the mutant
 */
public record MutantResult(Mutant mutant, MutantVerdict verdict, String reason, HazardReport report) {

    @Override
    public String toString() {
        return verdict + " " + mutant.name() + ": " + reason;
    }
}
