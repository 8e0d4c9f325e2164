package dev.tilewright.recording;

import java.util.HexFormat;

/** The hash of recordings, FNV-1a of 64 bits: http://www.isthe.com/chongo/tech/comp/fnv, its offset basis and prime. */
public final class Fnv {
    private static final long BASIS = 0xCBF29CE484222325L;
    private static final long PRIME = 0x100000001B3L;

    private Fnv() { }

    public static long hash(byte[] bytes) {
        long hash = BASIS;
        for (byte b : bytes) {
            hash = (hash ^ b & 0xFF) * PRIME;
        }
        return hash;
    }

    /** The hash's 16 digits. */
    public static String text(byte[] bytes) {
        return HexFormat.of().toHexDigits(hash(bytes));
    }
}
