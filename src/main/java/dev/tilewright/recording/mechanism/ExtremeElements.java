package dev.tilewright.recording.mechanism;

import dev.tilewright.ptx.DataType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Elements on which arithmetic goes wrong first: zeros, ones, infinities, NaNs quiet and signalling with payloads,
 * subnormals and the largest, of each sign; a third of all, among random bits.
 */
final class ExtremeElements {
    private static final long[] HALVES = {0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0xFD55, 1,
            0x8001,
        0x3FF, 0x83FF, 0x400, 0x8400, 0x7BFF, 0xFBFF, 0x3C01, 0x1400};
    private static final long[] BRAINS = {0, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81, 0xFFAA, 1,
            0x8001,
        0x7F, 0x807F, 0x80, 0x8080, 0x7F7F, 0xFF7F, 0x3F81, 0x3B80};
    private static final long[] FLOATS = {0, 0x80000000L, 0x3F800000, 0xBF800000L, 0x7F800000, 0xFF800000L, 0x7FC00000,
        0xFFC12345L, 0x7F800001, 0xFFA54321L, 1, 0x80000001L, 0x7FFFFF, 0x807FFFFFL, 0x800000, 0x80800000L, 0x7F7FFFFF,
        0xFF7FFFFFL, 0x3F800001, 0x33800000};
    private static final long[] DOUBLES = {0, 1L << 63, 0x3FF0000000000000L, 0xBFF0000000000000L, 0x7FF0000000000000L,
        0xFFF0000000000000L, 0x7FF8000000000000L, 0xFFF8000012345678L, 0x7FF0000000000001L, 0xFFF4567800000000L, 1,
        1L << 63 | 1, 0xFFFFFFFFFFFFFL, 0x800FFFFFFFFFFFFFL, 0x10000000000000L, 0x8010000000000000L,
        0x7FEFFFFFFFFFFFFFL, 0xFFEFFFFFFFFFFFFFL, 0x3FF0000000000001L, 0x3CA0000000000000L, 0x7FFC00000000ABCDL, -1L};
    private static final long[] INTEGERS = {0, 1, 2, 0x7FFFFFFFL, 0x80000000L, 0x80000001L, 0xFFFFFFFFL, 0xFFFFFFFEL,
        0x100000000L, Long.MAX_VALUE, Long.MIN_VALUE, -1L, -2L, 0x5555555555555555L, 0xAAAAAAAAAAAAAAAAL};

    private ExtremeElements() { }

    /** An element's bits. */
    static long bits(DataType type, SplittableRandom random) {
        int sort = random.nextInt(3);
        if (sort == 0) {
            return random.nextLong();
        }
        String name = type.toString();
        long[] special = name.equals("f16") ? HALVES : name.equals("bf16") ? BRAINS
                : name.equals("f32") ? FLOATS : name.equals("f64") ? DOUBLES : INTEGERS;
        long chosen = special[random.nextInt(special.length)];
        // Special ones, and numbers near them.
        return sort == 1 ? chosen : chosen ^ 1L << random.nextInt(type.bits());
    }

    /** Elements one behind the other. @param size bytes */
    static byte[] elements(DataType type, SplittableRandom random, int size) {
        ByteBuffer buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            long bits = bits(type, random);
            switch (type.bits()) {
                case 8 -> buffer.put((byte) bits);
                case 16 -> buffer.putShort((short) bits);
                case 32 -> buffer.putInt((int) bits);
                default -> buffer.putLong(bits);
            }
        }
        return buffer.array();
    }
}
