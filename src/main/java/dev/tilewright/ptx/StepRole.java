package dev.tilewright.ptx;

/** A step's role among others, such as a wait. */
public enum StepRole {
    /** Threads meet. */
    SYNC,
    /** What is asynchronous has completed. */
    WAIT,
    FENCE,
    /** Closes a group of asynchronous copies or products. */
    COMMIT,
    ARRIVAL,
    /** Changes the bytes that a phase waits for. */
    EXPECT,
    /** Makes an mbarrier. */
    INIT,
    /** Publishes or acquires a tensor map. */
    MAP,
    /** A copy whose bytes an mbarrier counts. */
    COUNTED_LOAD,
    OTHER;

    /** Whether the step orders others, so that its place matters. */
    public boolean orders() {
        return this != OTHER && this != COUNTED_LOAD;
    }
}
