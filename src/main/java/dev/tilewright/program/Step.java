package dev.tilewright.program;

/**
 * One step of a kernel and what it is for.
 *
 * @param purpose one line for people, which stands above the step in generated code
 */
public record Step(String purpose, Operation operation) {
    public Step {
        requireOneLine("a step's purpose", purpose);
    }

    /** Refuses what would not stay in one comment line of generated code. */
    static void requireOneLine(String what, String text) {
        if (text.isBlank() || text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0 || text.stripTrailing().endsWith("\\")) {
            throw new IllegalArgumentException(what + " is one line of text, got '" + text + "'");
        }
    }
}
