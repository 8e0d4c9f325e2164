package dev.tilewright.gpu.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;

/**
 * The form of a kernel in the cache: 8 bytes of magic, 32 bytes of HMAC-SHA-256 over the entry's name and the cubin
 * with the {@link CacheKey}, the cubin. The name is signed too so that an entry under another's is not taken for it.
 */
final class CacheEntry {

    static final byte[] MAGIC = "TWCUBIN2".getBytes(StandardCharsets.US_ASCII);

    /** Bytes of an HMAC-SHA-256. */
    private static final int DIGEST = 32;

    /** Bytes before the cubin. */
    static final int HEADER = MAGIC.length + DIGEST;

    private CacheEntry() { }

    /** @param name the key of the compilation */
    static byte[] pack(byte[] secret, String name, byte[] cubin) {
        return ByteBuffer.allocate(HEADER + cubin.length).put(MAGIC).put(sign(secret, name, cubin, 0)).put(cubin)
                .array();
    }

    /** The cubin, or empty if this is not what {@link #pack} made with this secret for this name. */
    static Optional<byte[]> unpack(byte[] secret, String name, byte[] file) {
        boolean whole = file.length > HEADER
                && Arrays.equals(file, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                && MessageDigest.isEqual(Arrays.copyOfRange(file, MAGIC.length, HEADER),
                        sign(secret, name, file, HEADER));
        return whole ? Optional.of(Arrays.copyOfRange(file, HEADER, file.length)) : Optional.empty();
    }

    private static byte[] sign(byte[] secret, String name, byte[] bytes, int from) {
        return Hmac.of(secret, name.getBytes(StandardCharsets.US_ASCII), bytes, from, bytes.length - from);
    }
}
