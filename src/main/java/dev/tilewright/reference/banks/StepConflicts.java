package dev.tilewright.reference.banks;

import dev.tilewright.NotNull;
import dev.tilewright.program.JavaLine;
import java.util.Optional;

/**
 * All accesses of a step to shared memory.
 *
 * @param step its number, see {@link dev.tilewright.program.StepNumbers}
 * @param purpose of the step, or else what it is
 * @param javaLine the line of Java that added it, where that is known
 * @param accesses of whole warps
 * @param wavefronts that they took together
 * @param ideal how many they would have taken without a conflict
 * @param worst the one with the most wavefronts more than it would need, the first of several
 */
public record StepConflicts(int step, String purpose, Optional<JavaLine> javaLine, long accesses, long wavefronts,
        long ideal, WarpAccess worst) {
    public StepConflicts {
        NotNull.all("purpose, javaLine, worst", purpose, javaLine, worst);
    }

    /** Wavefronts beyond the ideal. */
    public long conflicts() {
        return wavefronts - ideal;
    }

    /** In words. */
    @Override
    public String toString() {
        return "step " + step + " ('" + purpose + "'" + javaLine.map(line -> ", " + line).orElse("") + "): " + accesses
                + (accesses == 1 ? " access, " : " accesses, ") + wavefronts
                + (wavefronts == 1 ? " wavefront, ideal " : " wavefronts, ideal ") + ideal
                + (conflicts() == 0 ? "" : "; worst: " + worst);
    }
}
