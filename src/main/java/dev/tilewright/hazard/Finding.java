package dev.tilewright.hazard;

import dev.tilewright.NotNull;
import java.util.List;
import java.util.Optional;

/**
 * One mistake that the analysis found. Of the same mistake between the same two steps only the first is kept.
 *
 * @param code what sort of mistake
 * @param location of the step at fault
 * @param block where it happened first, see {@link dev.tilewright.program.GridShape}
 * @param place the bytes, where it is about bytes
 * @param access the access that came too early, where there is one
 * @param before the access, or the step, that it should have waited for, where there is one
 * @param wanted what would have ordered the two, or what should hold
 * @param fix the smallest change that does
 * @param message all of it in one line
 * @param alsoAt other steps where the same shows, by their numbers: the change that is named mends them, too
 */
public record Finding(HazardCode code, StepLocation location, int block, Optional<Place> place, Optional<Access> access,
        Optional<Access> before, String wanted, String fix, String message, List<StepLocation> alsoAt) {
    public Finding {
        NotNull.all("code, location, place, access, before, wanted, fix, message, alsoAt",
                code, location, place, access, before, wanted, fix, message, alsoAt);
        alsoAt = List.copyOf(alsoAt);
    }

    /** The number of the step at fault, see {@link dev.tilewright.program.StepNumbers}; 0 for the end of the kernel. */
    public int step() {
        return location.step();
    }

    /** The purpose of the step at fault. */
    public String purpose() {
        return location.purpose();
    }

    /** The line of the step at fault in the emitted source, see {@link StepLocation}; 0 for the end of the kernel. */
    public int line() {
        return location.line();
    }

    /** The step of {@link #before}; 0 where there is none. */
    public int otherStep() {
        return before.map(Access::step).orElse(0);
    }

    /** The message. */
    @Override
    public String toString() {
        return message;
    }
}
