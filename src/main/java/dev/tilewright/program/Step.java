package dev.tilewright.program;

/**
 * One step of a kernel and what it is for.
 *
 * @param purpose one line for people, which stands above the step in generated code
 */
public record Step(String purpose, Operation operation) {
    public Step {
        if (purpose.isBlank() || purpose.indexOf('\n') >= 0 || purpose.endsWith("\\")) {
            throw new IllegalArgumentException("a step's purpose is one line of text, got '" + purpose + "'");
        }
    }
}
