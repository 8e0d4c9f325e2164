package dev.tilewright.spark.batch;

import java.lang.foreign.MemorySegment;

/** Memory for one piece of work at a time, and what computes it. One thread at a time uses it. */
public interface Slot {

    /** How many bytes work may have. */
    long capacity();

    /** The host's memory: filled before {@link #start}, read after {@link #await}. */
    MemorySegment memory();

    /** Starts to compute. */
    void start(Work work);

    /** Waits until the results are in memory. */
    void await();
}
