package dev.tilewright.recording;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bytes that the recordings were made on, rebuilt from a seed.
 *
 * <p>The data is 64-bit little-endian words, most of them noise: word i is Vigna's splitmix64 of {@code seed *
 * 0x1000003 + i}. So that rounding and special values are met often, three kinds of word are changed, in this order:
 * <ul>
 * <li>i mod 7 is 3: the lowest 13 bits become 0x1000, a tie for TF32 rounding in the lower half;</li>
 * <li>i mod 7 is 5: bits 32 to 44 become 0x1000, the same in the upper half;</li>
 * <li>i mod 11 is 4: the lower half becomes the next, by i / 11, of twelve special binary32 values.</li>
 * </ul>
 * The window that global memory is looked at through has 1 MiB.
 */
public final class RecordingsWindow {
    /** Size of the data window in bytes. */
    public static final int BYTES = 1 << 20;

    private static final int[] SPECIAL = {
        0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x00000001, 0x807fffff,
        0x7f7fffff, 0xff7ff000, 0x80000000, 0x7f800001, 0x3f801000, 0x3f803000,
    };

    private RecordingsWindow() { }

    /** The first bytes of the data under a seed. @param size bytes, a multiple of 8 */
    public static byte[] bytes(long seed, int size) {
        if (size < 0 || size % Long.BYTES != 0) {
            throw new IllegalArgumentException("the size must be a multiple of 8 bytes, got " + size);
        }
        ByteBuffer words = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; words.hasRemaining(); i++) {
            words.putLong(word(seed, i));
        }
        return words.array();
    }

    private static long word(long seed, int i) {
        long x = splitmix64(seed * 0x1000003 + i);
        if (i % 7 == 3) {
            x = x & ~0x1FFFL | 0x1000;
        }
        if (i % 7 == 5) {
            x = x & ~(0x1FFFL << 32) | 0x1000L << 32;
        }
        if (i % 11 == 4) {
            x = x & ~0xFFFF_FFFFL | SPECIAL[i / 11 % SPECIAL.length] & 0xFFFF_FFFFL;
        }
        return x;
    }

    public static long splitmix64(long x) {
        x += 0x9E3779B97F4A7C15L;
        x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
        x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
        return x ^ x >>> 31;
    }
}
