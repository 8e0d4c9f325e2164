package dev.tilewright.hazard.mutant;

import java.util.Locale;

/** What became of a mutant. */
public enum MutantVerdict {
    /** The hazard check reports something at a right step, or is stopped because the mutant does not end. */
    FOUND,
    /**
     * The mutant is no mistake: its order holds, and its bytes are those of the correct program in every order tried.
     */
    HARMLESS,
    /** It is a mistake, and the hazard check says nothing of it, or only of steps that have nothing to do with it. */
    MISSED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
