package dev.tilewright.program;

import java.util.Objects;
import java.util.Optional;

/**
 * One step of a kernel.
 *
 * @param comment one line for people that says what it is for, and stands above the step in generated code
 * @param javaLine the line of Java that added it, where that is known; it is no part of what the step is, so that two
 *     steps which differ in it alone are equal
 */
public record Step(Optional<String> comment, Operation operation, Optional<JavaLine> javaLine) {
    public Step {
        Objects.requireNonNull(comment, "comment");
        Objects.requireNonNull(javaLine, "javaLine");
        Objects.requireNonNull(operation, "operation");
        comment.ifPresent(text -> requireOneLine("a step's purpose", text));
    }

    /** A step with a comment. */
    public Step(String comment, Operation operation) {
        Objects.requireNonNull(comment, "comment");
        Objects.requireNonNull(operation, "operation");
        this(Optional.of(comment), operation, Optional.empty());
    }

    /** The same step with another operation. */
    public Step with(Operation other) {
        Objects.requireNonNull(other, "other");
        return new Step(comment, other, javaLine);
    }

    /** What it is for: its comment, or else what the operation does. */
    public String purpose() {
        return comment.orElseGet(operation::summary);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Step s && comment.equals(s.comment) && operation.equals(s.operation);
    }

    @Override
    public int hashCode() {
        return 31 * comment.hashCode() + operation.hashCode();
    }

    /** Refuses what would not stay in one comment line of generated code. */
    static void requireOneLine(String what, String text) {
        if (text.isBlank() || text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0
                || text.stripTrailing().endsWith("\\")) {
            throw new IllegalArgumentException(what + " is one line of text, got '" + text + "'");
        }
    }
}
