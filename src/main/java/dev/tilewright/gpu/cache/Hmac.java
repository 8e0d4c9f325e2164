package dev.tilewright.gpu.cache;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * HMAC-SHA-256 (RFC 2104) by two digests. {@code javax.crypto.Mac} gives the same bytes, and loads all of Java's
 * cryptography to do so, which every start of a program would wait for.
 */
final class Hmac {
    /** SHA-256 takes its input in blocks of this many bytes. */
    private static final int BLOCK = 64;

    private Hmac() { }

    /** A SHA-256 that has taken nothing yet. */
    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            // Every Java has it (java.security.MessageDigest).
            throw new AssertionError(e);
        }
    }

    /** The code of some bytes, one part after the other. @param key at most 64 bytes */
    static byte[] of(byte[] key, byte[] first, byte[] rest, int from, int count) {
        if (key.length > BLOCK) {
            throw new IllegalArgumentException("a key has at most " + BLOCK + " bytes, got " + key.length);
        }
        MessageDigest inner = sha256();
        inner.update(padded(key, (byte) 0x36));
        inner.update(first);
        inner.update(rest, from, count);
        MessageDigest outer = sha256();
        outer.update(padded(key, (byte) 0x5C));
        return outer.digest(inner.digest());
    }

    private static byte[] padded(byte[] key, byte pad) {
        byte[] block = Arrays.copyOf(key, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            block[i] ^= pad;
        }
        return block;
    }
}
