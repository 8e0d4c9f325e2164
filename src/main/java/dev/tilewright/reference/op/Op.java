package dev.tilewright.reference.op;

import dev.tilewright.reference.state.ThreadState;

/** One operation of a compiled program. */
public interface Op {
    /** The thread stays at this operation, which has had no effect that lasts, and tries again when its turn comes. */
    int BLOCKED = -1;
    /** The operation is done and has set where the thread goes on; the turn is over. */
    int YIELD = -2;

    /**
     * Performs the operation for one thread.
     *
     * @param pc this operation's own number
     * @return the number of the next operation, {@link #BLOCKED} or {@link #YIELD}
     */
    int run(ThreadState thread, int pc);

    /** The operation itself, where this one only watches it. */
    default Op bare() {
        return this;
    }
}
