package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Identifiers;
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
        NotNull.all("comment, javaLine, operation", comment, javaLine, operation);
        comment.ifPresent(text -> Identifiers.requireOneLine("a step's purpose", text));
    }

    /** A step with a comment. */
    public Step(String comment, Operation operation) {
        NotNull.all("comment, operation", comment, operation);
        this(Optional.of(comment), operation, Optional.empty());
    }

    /** This step with another operation. */
    public Step with(Operation other) {
        Objects.requireNonNull(other, "other");
        return new Step(comment, other, javaLine);
    }

    /** The step's purpose: its comment, or else what the operation does. */
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
}
