package dev.tilewright.reference.fault;

import dev.tilewright.NotNull;
import dev.tilewright.reference.fault.ReferenceException.Kind;

/**
 * A mistake before anyone has said where it happened: thrown where it is noticed, turned into a
 * {@link ReferenceException} by the runner, which knows block, thread and step.
 */
public final class Fault extends IllegalArgumentException {
    private final Kind kind;
    private final Other other;

    /**
     * A thread of the same block that this one does not fit with.
     *
     * @param pc the number of the operation where it is, or was
     */
    public record Other(int thread, int pc) { }

    /** @param sentence what is wrong, with the values */
    public Fault(Kind kind, String sentence) {
        NotNull.all("kind, sentence", kind, sentence);
        this(kind, sentence, null);
    }

    /** @param other null for none */
    public Fault(Kind kind, String sentence, Other other) {
        NotNull.all("kind, sentence", kind, sentence);
        super(sentence);
        this.kind = kind;
        this.other = other;
    }

    /** Whom the thread does not fit with; null for none. */
    public Other other() {
        return other;
    }

    /** The kind of mistake. */
    public Kind kind() {
        return kind;
    }
}
