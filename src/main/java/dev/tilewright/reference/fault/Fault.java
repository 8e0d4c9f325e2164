package dev.tilewright.reference.fault;

import dev.tilewright.reference.fault.ReferenceException.Kind;

/**
 * A mistake before anyone has said where it happened: thrown where it is noticed, turned into a
 * {@link ReferenceException} by the runner, which knows block, thread and step.
 */
public final class Fault extends IllegalArgumentException {
    private final Kind kind;

    public Fault(Kind kind, String sentence) {
        super(sentence);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
