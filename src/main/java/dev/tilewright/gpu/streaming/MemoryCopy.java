package dev.tilewright.gpu.streaming;

import java.lang.foreign.MemorySegment;

/**
 * Copies host memory in pieces: the JVM lets no thread stop for the garbage collector inside one copy, and the others
 * would wait for it.
 */
final class MemoryCopy {
    /** About a tenth of a millisecond. */
    private static final long PIECE = 1L << 20;

    private MemoryCopy() { }

    /** @throws InternalError if a mapped file has been cut short, or its disk fails */
    static void copy(MemorySegment from, long fromByte, MemorySegment to, long toByte, long bytes) {
        for (long at = 0; at < bytes; at += PIECE) {
            MemorySegment.copy(from, fromByte + at, to, toByte + at, Math.min(PIECE, bytes - at));
        }
    }

    /** Refuses memory of an application that is closed. @param what {@code the source} or {@code the result} */
    static void requireOpen(MemorySegment memory, String what) {
        if (!memory.scope().isAlive()) {
            throw closed(memory, what, null);
        }
    }

    /** What a copy has thrown, in words where it is that the application's memory was closed under it. */
    static IllegalStateException inWords(IllegalStateException e, MemorySegment memory, String what) {
        return memory.scope().isAlive() ? e : closed(memory, what, e);
    }

    private static IllegalStateException closed(MemorySegment memory, String what, Throwable cause) {
        return new IllegalStateException("the memory of " + memory.byteSize() + " bytes of " + what + " is closed, with"
                + " its arena or what else it came from: keep it open until the run has ended", cause);
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
