package dev.tilewright.explain;

import java.util.List;

/**
 * A step at which threads wait, and what its end means.
 *
 * @param step its number
 * @param line of the emitted source
 * @param purpose what it is for, in the kernel's words
 * @param form the opcode
 * @param waitsFor what it waits for
 * @param by the steps that bring it about; empty where none of the program's does alone
 * @param then what is so after it
 */
public record WaitFact(int step, int line, String purpose, String form, String waitsFor, List<Cause> by, String then) {
    /** A step that a wait waits for. @param does what it does about it */
    public record Cause(int step, String purpose, String form, String does) {
        @Override
        public String toString() {
            return "step " + step + ", '" + purpose + "' (" + form + ") " + does;
        }
    }

    public WaitFact {
        by = List.copyOf(by);
    }
}
