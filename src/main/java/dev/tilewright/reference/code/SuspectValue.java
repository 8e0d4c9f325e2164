package dev.tilewright.reference.code;

import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.state.ThreadState;

/**
 * Which bits of an expression are not defined, for one thread.
 *
 * @param code computes them, from the variables that the expression has
 * @param slots of those of them that may be undefined
 */
public record SuspectValue(IndexCode code, int[] slots) {

    /** The bits, 1 for undefined. */
    public long bits(ThreadState t) {
        return t.undefined.none() ? 0 : code.value(t);
    }

    /** The read that they come from. */
    public UnwrittenRead origin(ThreadState t) {
        for (int slot : slots) {
            if (t.undefined.bits(slot) != 0) {
                return t.undefined.origin(slot);
            }
        }
        return null;
    }
}
