package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/**
 * A mistake before anyone has said where it happened: thrown where it is noticed, turned into a
 * {@link ReferenceException} by the runner, which knows block, thread and step.
 */
final class Fault extends IllegalArgumentException {
    private final Kind kind;

    Fault(Kind kind, String sentence) {
        super(sentence);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }
}
