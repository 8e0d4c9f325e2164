package dev.tilewright.verify.draw;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/** What buffers hold before a launch. */
final class DrawnBytes {
    private static final byte POISON = (byte) 0xCD;
    /** Where arithmetic goes wrong first: infinities, NaNs, subnormals, zeros and ones of floats, ends of integers. */
    private static final int[] AWKWARD = {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x00000001,
        0x807FFFFF, 0x7F7FFFFF, 0x80000000, 0x00000000, 0x3F800000, 0x3F801000, 0x7C007E00, 0x7FF00000, 0x7FF80001,
        0xFFFFFFFF, 0x7FFFFFFF, 0x3C003C00, 0x3F803F80};

    private DrawnBytes() { }

    /** Random bits, small numbers and awkward ones. */
    static byte[] words(long seed, int bytes) {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer words = ByteBuffer.allocate(Math.ceilDiv(bytes, 16) * 16).order(ByteOrder.LITTLE_ENDIAN);
        while (words.hasRemaining()) {
            words.putInt(switch (random.nextInt(16)) {
                case 0 -> AWKWARD[random.nextInt(AWKWARD.length)];
                case 1 -> random.nextInt(16);
                default -> random.nextInt();
            });
        }
        return words.array();
    }

    /** So that a byte which is not written is seen. */
    static byte[] poison(int bytes) {
        byte[] poison = new byte[Math.ceilDiv(bytes, 16) * 16];
        Arrays.fill(poison, POISON);
        return poison;
    }
}
