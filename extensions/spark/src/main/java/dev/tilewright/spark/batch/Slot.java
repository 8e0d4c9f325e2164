package dev.tilewright.spark.batch;

import java.lang.foreign.MemorySegment;

/** Memory for one window at a time, and what computes it. One thread at a time uses it. */
public interface Slot {

    /** How many bytes a window may have. */
    long capacity();

    /** The host's memory of the window: filled before {@link #start}, read after {@link #await}. */
    MemorySegment memory();

    /** Starts to compute what the window's memory has. */
    void start(Window<?> window);

    /** Waits until the results are in memory. */
    void await();
}
