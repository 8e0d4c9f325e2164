package dev.tilewright.reference;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Moves one row of a box between the tensor and shared memory in words of eight bytes, through a swizzle pattern or
 * without one (pattern 0). For rows shorter than {@link #BULK}, far apart in memory, this is faster than a bulk copy of
 * each, as {@code BoxBenchmark} shows: more of the tensor's cache lines are on their way at once.
 */
final class RowWords {
    /** From here on a bulk copy of the row is faster. */
    static final int BULK = 256;

    private static final int LINE = 128;
    private static final int CHUNK = SharedRows.CHUNK;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong TENSOR_WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private RowWords() {
    }

    /**
     * Tensor to shared memory.
     *
     * @param bytes a multiple of 16
     * @param to the shared address without the pattern
     * @param x the pattern, of the one line of 128 bytes that the row lies in; 0 where it lies in more
     */
    static void load(MemorySegment tensor, long from, int bytes, byte[] shared, int to, int x) {
        // In a slice whose length the compiler knows the checks of words come to nothing, and no slice is ever made.
        if (bytes == LINE) {
            loadSlice(tensor.asSlice(from, LINE), LINE, shared, to, x);
        } else {
            loadSlice(tensor.asSlice(from, bytes), bytes, shared, to, x);
        }
    }

    /** Shared memory to tensor; see {@link #load}. */
    static void store(byte[] shared, int from, int x, MemorySegment tensor, long to, int bytes) {
        if (bytes == LINE) {
            storeSlice(shared, from, x, tensor.asSlice(to, LINE), LINE);
        } else {
            storeSlice(shared, from, x, tensor.asSlice(to, bytes), bytes);
        }
    }

    private static void loadSlice(MemorySegment from, int bytes, byte[] shared, int to, int x) {
        for (int chunk = 0; chunk < bytes; chunk += CHUNK) {
            put(shared, to + chunk ^ x, from.get(TENSOR_WORD, chunk), from.get(TENSOR_WORD, chunk + Long.BYTES));
        }
    }

    private static void storeSlice(byte[] shared, int from, int x, MemorySegment to, int bytes) {
        for (int chunk = 0; chunk < bytes; chunk += CHUNK) {
            int at = from + chunk ^ x;
            to.set(TENSOR_WORD, chunk, (long) WORD.get(shared, at));
            to.set(TENSOR_WORD, chunk + Long.BYTES, (long) WORD.get(shared, at ^ Long.BYTES));
        }
    }

    /** Writes a chunk whose first half belongs at this address; the other half lies beside it, on either side. */
    static void put(byte[] shared, int at, long first, long second) {
        WORD.set(shared, at, first);
        WORD.set(shared, at ^ Long.BYTES, second);
    }

    /** The same word over and over. @param from a multiple of 8, as {@code to} is */
    static void fill(byte[] shared, int from, int to, long word) {
        for (int at = from; at < to; at += Long.BYTES) {
            WORD.set(shared, at, word);
        }
    }
}
