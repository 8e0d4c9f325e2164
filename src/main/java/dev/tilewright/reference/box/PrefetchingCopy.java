package dev.tilewright.reference.box;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Bulk copies of rows that lie apart in memory, where no hardware prefetcher follows. One byte of every cache line is
 * read before the rows are copied, line by line down the rows: like this many lines are on their way at once, which
 * copying row after row does not achieve ({@code BoxBenchmark} shows what it brings).
 */
final class PrefetchingCopy {
    /** From here on a row is long enough for the hardware's prefetchers. */
    private static final int LONG_ROW = 1024;
    private static final int LINE = 64;
    /**
     * Bytes at a time: fewer do not keep the memory busy, more fall out of the cache before they are copied.
     */
    private static final int BYTES = 4096;

    private PrefetchingCopy() { }

    /** Copies rows into shared memory, one behind the other. @param bytes of each row, a multiple of 16 */
    static void copy(MemorySegment tensor, long offset, long stride, int rows, int bytes, byte[] shared, int to) {
        int most = bytes < LONG_ROW ? BYTES / bytes : rows;
        for (int row = 0; row < rows; row += most) {
            int some = Math.min(most, rows - row);
            if (bytes < LONG_ROW) {
                read(tensor, offset + row * stride, stride, some, bytes);
            }
            for (int i = row; i < row + some; i++) {
                MemorySegment.copy(tensor, ValueLayout.JAVA_BYTE, offset + i * stride, shared, to + i * bytes, bytes);
            }
        }
    }

    private static void read(MemorySegment tensor, long offset, long stride, int rows, int bytes) {
        int seen = 0;
        for (int line = 0; line < bytes; line += LINE) {
            for (int i = 0; i < rows; i++) {
                seen ^= tensor.get(ValueLayout.JAVA_BYTE, offset + i * stride + line);
            }
        }
        if (seen == 0x5A) {
            // Whether this happens is of no matter; that it might keeps the compiler from leaving out the reads.
            Thread.onSpinWait();
        }
    }
}
