package dev.tilewright.gpu.staging;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/**
 * Lets the error of a copy from or to a mapped file surface. Where a page of the file is not there (it was cut short,
 * its disk failed), the JVM skips the access, goes on, and throws an {@link InternalError} when the thread next comes
 * to a safepoint, which may be after the method that copied: in a lock's own code, say, where the thread would keep the
 * lock for good. So it has to surface directly after the copy.
 */
public final class MemoryFaults {
    /** Volatile, so that the loop below stays one that the compiler cannot count, in which there is a safepoint. */
    private static volatile int turns = 2;

    private static final int SMALLEST_PAGE = 4096;
    /** So that the reads are needed. */
    private static int read;

    private MemoryFaults() { }

    /** Reaches a safepoint. @throws InternalError if an access of this thread to mapped memory has failed */
    public static void surface() {
        int i = 0;
        while (i < turns) {
            i++;
        }
    }

    /**
     * Reads a byte of every page of memory that the driver shall have the address of. Java does not know of every piece
     * of memory that a file is behind it: not of an IntBuffer over a mapped ByteBuffer, say.
     *
     * @throws InternalError if a page is not there
     */
    public static void probe(MemorySegment memory) {
        int sum = memory.get(JAVA_BYTE, memory.byteSize() - 1);
        for (long at = 0; at < memory.byteSize(); at += SMALLEST_PAGE) {
            sum += memory.get(JAVA_BYTE, at);
        }
        read = sum;
        surface();
    }
}
