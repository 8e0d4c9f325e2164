package dev.tilewright.hazard;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Target;
import java.util.Optional;

/**
 * A step that a check came to and could not follow. The check of that run ends there: it is no finding, and says
 * nothing of what comes after it.
 *
 * @param form the opcode of the instruction; the purpose of a step that is none
 * @param needs the first target that has the form, where only newer GPUs than the reference stands for have it
 * @param location of the step
 * @param reason why not, in a sentence
 */
public record NotAnalysed(String form, Optional<Target> needs, StepLocation location, String reason) {
    public NotAnalysed {
        NotNull.all("form, needs, location, reason", form, needs, location, reason);
    }

    /** In words: {@code not analysed: st.bulk (needs sm_100), step 3 ('zero', CUDA line 40, Zero.java:12)}. */
    @Override
    public String toString() {
        return "not analysed: " + form + needs.map(target -> " (needs " + target + ")").orElse("") + ", " + location
                + (needs.isPresent() ? "" : ": " + reason);
    }
}
