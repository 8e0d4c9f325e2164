package dev.tilewright.gpu;

/**
 * Lets the error of a copy from or to a mapped file surface. Where a page of the file is not there (it was cut short, its
 * disk failed), the JVM skips the access, goes on, and throws an {@link InternalError} when the thread next comes to a
 * safepoint, which may be after the method that copied.
 */
final class MemoryFaults {
    /** Volatile, so that the loop below stays one that the compiler cannot count, in which there is a safepoint. */
    private static volatile int turns = 2;

    private MemoryFaults() {
    }

    /** Comes to a safepoint. @throws InternalError if an access of this thread to mapped memory has failed */
    static void surface() {
        for (int i = 0; i < turns; i++) {
            Thread.onSpinWait();
        }
    }
}
