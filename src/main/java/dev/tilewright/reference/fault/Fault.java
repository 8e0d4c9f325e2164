package dev.tilewright.reference.fault;

import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.util.Objects;

/**
 * A mistake before anyone has said where it happened: thrown where it is noticed, turned into a
 * {@link ReferenceException} by the runner, which knows block, thread and step.
 */
public final class Fault extends IllegalArgumentException {
    private final Kind kind;

    public Fault(Kind kind, String sentence) {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(sentence, "sentence");
        super(sentence);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
