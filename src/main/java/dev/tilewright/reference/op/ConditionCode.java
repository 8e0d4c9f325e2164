package dev.tilewright.reference.op;

import dev.tilewright.reference.state.ThreadState;

/** A condition made ready to run. */
@FunctionalInterface
public interface ConditionCode {
    boolean holds(ThreadState thread);
}
