package dev.tilewright.explain.timeline;

import java.util.Locale;

/** What a step of a schedule does. */
public enum Deed {
    /** Initialises mbarriers. */
    INIT,
    /** Reads memory, or starts an asynchronous copy into shared memory. */
    LOAD,
    /** Works on registers, or starts a product. */
    COMPUTE,
    /** Writes memory, or starts an asynchronous copy out of shared memory. */
    STORE,
    /** Reads, changes and writes memory as one. */
    UPDATE,
    /** Arrives at a barrier. */
    ARRIVE,
    /** Announces bytes to an mbarrier without arriving. */
    EXPECT,
    /** Closes a group of asynchronous operations. */
    COMMIT,
    /** Waits, and has passed. */
    WAIT,
    /** Waits, and will never pass. */
    STUCK,
    /** Meets other threads of its warp or block. */
    MEET,
    /** Orders accesses. */
    FENCE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
