package dev.tilewright.gpu.staging;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Pageable native memory for one copy at a time: where the driver copies from or to instead of a Java array, whose
 * address it cannot have, or a mapped file, which it must not touch. Some of it is kept for the next copy.
 */
public final class Scratch {
    private static final int KEPT = 16;

    private final long bytes;
    private final Queue<MemorySegment> kept = new ArrayBlockingQueue<>(KEPT);

    /** @param bytes of each */
    public Scratch(long bytes) {
        this.bytes = Math.max(1, bytes);
    }

    /** One, for the caller alone until it is given back; forgotten ones are freed by the garbage collector. */
    public MemorySegment take() {
        MemorySegment one = kept.poll();
        return one != null ? one : Arena.ofAuto().allocate(bytes, 64);
    }

    /** Keeps it for another copy. */
    public void give(MemorySegment one) {
        kept.offer(one);
    }
}
