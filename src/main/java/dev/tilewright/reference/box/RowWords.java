package dev.tilewright.reference.box;

import dev.tilewright.layout.Swizzle;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Moves rows of a box between the tensor and shared memory in words of eight bytes, through a swizzle or without one.
 * For rows shorter than {@link #BULK}, far apart in memory, this is faster than a bulk copy of each, as {@code
 * BoxBenchmark} shows: more of the tensor's cache lines are on their way at once.
 *
 * <p>The two long methods are long on purpose. HotSpot puts no method of more than 325 bytes into its callers
 * ({@code FreqInlineSize}); shorter ones would at times end up so deep in a walk's calls that the access to a word,
 * itself eight calls deep, no longer fits under {@code MaxInlineLevel} and becomes a call: four times slower, and not
 * in every run.
 */
final class RowWords {
    /** From here on a bulk copy of the row is faster. */
    static final int BULK = 256;

    private static final int LINE = 128;
    private static final int HALF = Long.BYTES;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong TENSOR_WORD =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private RowWords() { }

    /**
     * Tensor to shared memory.
     *
     * @param bytes of each row, a multiple of 16
     * @param to the first row's shared address, without the swizzle
     */
    static void load(MemorySegment tensor, long from, long stride, int rows, int bytes, byte[] shared, int to,
            int pitch, Swizzle swizzle) {
        for (int i = 0; i < rows; i++, from += stride, to += pitch) {
            int x = swizzle.pattern(to);
            if (bytes == LINE) {
                // A slice of known length: the checks of its words come to nothing, and it is never made.
                MemorySegment line = tensor.asSlice(from, LINE);
                WORD.set(shared, to + 0 ^ x, line.get(TENSOR_WORD, 0));
                WORD.set(shared, to + 8 ^ x, line.get(TENSOR_WORD, 8));
                WORD.set(shared, to + 16 ^ x, line.get(TENSOR_WORD, 16));
                WORD.set(shared, to + 24 ^ x, line.get(TENSOR_WORD, 24));
                WORD.set(shared, to + 32 ^ x, line.get(TENSOR_WORD, 32));
                WORD.set(shared, to + 40 ^ x, line.get(TENSOR_WORD, 40));
                WORD.set(shared, to + 48 ^ x, line.get(TENSOR_WORD, 48));
                WORD.set(shared, to + 56 ^ x, line.get(TENSOR_WORD, 56));
                WORD.set(shared, to + 64 ^ x, line.get(TENSOR_WORD, 64));
                WORD.set(shared, to + 72 ^ x, line.get(TENSOR_WORD, 72));
                WORD.set(shared, to + 80 ^ x, line.get(TENSOR_WORD, 80));
                WORD.set(shared, to + 88 ^ x, line.get(TENSOR_WORD, 88));
                WORD.set(shared, to + 96 ^ x, line.get(TENSOR_WORD, 96));
                WORD.set(shared, to + 104 ^ x, line.get(TENSOR_WORD, 104));
                WORD.set(shared, to + 112 ^ x, line.get(TENSOR_WORD, 112));
                WORD.set(shared, to + 120 ^ x, line.get(TENSOR_WORD, 120));
            } else {
                for (int word = 0; word < bytes; word += HALF) {
                    WORD.set(shared, to + word ^ x, tensor.get(TENSOR_WORD, from + word));
                }
            }
        }
    }

    /**
     * Shared memory to tensor: of each row some bytes.
     *
     * @param from the first row's shared address, without the swizzle
     * @param first where in each row they start, a multiple of 16, as {@code bytes} is
     * @param to where the first row's start, not its {@code first} byte, lies in the tensor
     */
    static void store(byte[] shared, int from, int pitch, Swizzle swizzle, int first, int bytes, int rows,
            MemorySegment tensor, long to, long stride) {
        for (int i = 0; i < rows; i++, from += pitch, to += stride) {
            int x = swizzle.pattern(from);
            int start = from + first;
            if (bytes == LINE) {
                MemorySegment line = tensor.asSlice(to + first, LINE);
                line.set(TENSOR_WORD, 0, (long) WORD.get(shared, start + 0 ^ x));
                line.set(TENSOR_WORD, 8, (long) WORD.get(shared, start + 8 ^ x));
                line.set(TENSOR_WORD, 16, (long) WORD.get(shared, start + 16 ^ x));
                line.set(TENSOR_WORD, 24, (long) WORD.get(shared, start + 24 ^ x));
                line.set(TENSOR_WORD, 32, (long) WORD.get(shared, start + 32 ^ x));
                line.set(TENSOR_WORD, 40, (long) WORD.get(shared, start + 40 ^ x));
                line.set(TENSOR_WORD, 48, (long) WORD.get(shared, start + 48 ^ x));
                line.set(TENSOR_WORD, 56, (long) WORD.get(shared, start + 56 ^ x));
                line.set(TENSOR_WORD, 64, (long) WORD.get(shared, start + 64 ^ x));
                line.set(TENSOR_WORD, 72, (long) WORD.get(shared, start + 72 ^ x));
                line.set(TENSOR_WORD, 80, (long) WORD.get(shared, start + 80 ^ x));
                line.set(TENSOR_WORD, 88, (long) WORD.get(shared, start + 88 ^ x));
                line.set(TENSOR_WORD, 96, (long) WORD.get(shared, start + 96 ^ x));
                line.set(TENSOR_WORD, 104, (long) WORD.get(shared, start + 104 ^ x));
                line.set(TENSOR_WORD, 112, (long) WORD.get(shared, start + 112 ^ x));
                line.set(TENSOR_WORD, 120, (long) WORD.get(shared, start + 120 ^ x));
            } else {
                for (int word = 0; word < bytes; word += HALF) {
                    tensor.set(TENSOR_WORD, to + first + word, (long) WORD.get(shared, start + word ^ x));
                }
            }
        }
    }

    /** Writes a chunk of the same words. @param at a multiple of 16, but for a pattern that exchanges halves */
    static void fillChunk(byte[] shared, int at, long word) {
        WORD.set(shared, at, word);
        WORD.set(shared, at ^ HALF, word);
    }

    /** Writes one word over and over. @param from a multiple of 8, as {@code to} is */
    static void fill(byte[] shared, int from, int to, long word) {
        for (int at = from; at < to; at += HALF) {
            WORD.set(shared, at, word);
        }
    }
}
