package dev.tilewright.spark.executor;

import dev.tilewright.spark.batch.RowShapes;
import dev.tilewright.spark.batch.Work;
import java.lang.foreign.MemorySegment;

/**
 * Memory of a device for one piece of work, and of the host beside it; no mapping's own, so that any task can use it.
 */
interface DeviceSlot {

    MemorySegment memory();

    /** Computes what is in its memory, on a device that does not make the caller wait before {@link #await}. */
    void start(Resident mapping, RowShapes shapes, Work work);

    void await();

    void free();
}
