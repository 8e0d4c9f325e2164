package dev.tilewright.gpu.streaming;

import java.lang.foreign.MemorySegment;

/**
 * Copies host memory in pieces: the JVM lets no thread stop for the garbage collector inside one copy, and the others
 * would wait for it.
 */
final class MemoryCopy {
    /** About a tenth of a millisecond. */
    private static final long PIECE = 1L << 20;

    private MemoryCopy() {
    }

    /** @throws InternalError if a mapped file has been cut short, or its disk fails */
    static void copy(MemorySegment from, long fromByte, MemorySegment to, long toByte, long bytes) {
        for (long at = 0; at < bytes; at += PIECE) {
            MemorySegment.copy(from, fromByte + at, to, toByte + at, Math.min(PIECE, bytes - at));
        }
    }

    /** Refuses memory that the threads of a run cannot use. */
    static void requireShared(MemorySegment memory, String what) {
        if (!memory.isAccessibleBy(AnyThread.INSTANCE)) {
            throw new IllegalArgumentException(what + " of " + memory.byteSize()
                    + " bytes is of a confined arena, and several threads copy it: allocate it in Arena.ofShared()");
        }
    }

    /** A thread that has created nothing. */
    private static final class AnyThread {
        private static final Thread INSTANCE = Thread.ofPlatform().daemon().unstarted(() -> { });
    }
}
