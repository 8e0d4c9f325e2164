package dev.tilewright.gpu.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * The form of a kernel in the cache: 8 bytes of magic, 32 bytes of SHA-256 over the entry's key and the cubin, the
 * cubin. The key is in the digest so that an entry under another's name is not taken for it.
 */
final class CacheEntry {

    static final byte[] MAGIC = "TWCUBIN1".getBytes(StandardCharsets.US_ASCII);

    /** Bytes of a SHA-256. */
    private static final int DIGEST = 32;

    /** Bytes before the cubin. */
    static final int HEADER = MAGIC.length + DIGEST;

    private CacheEntry() { }

    static byte[] pack(String key, byte[] cubin) {
        return ByteBuffer.allocate(HEADER + cubin.length).put(MAGIC).put(digest(key, cubin, 0)).put(cubin).array();
    }

    /** The cubin, or empty if this is not what {@link #pack} made for this key. */
    static Optional<byte[]> unpack(String key, byte[] file) {
        boolean whole = file.length > HEADER
                && Arrays.equals(file, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                && MessageDigest.isEqual(Arrays.copyOfRange(file, MAGIC.length, HEADER), digest(key, file, HEADER));
        return whole ? Optional.of(Arrays.copyOfRange(file, HEADER, file.length)) : Optional.empty();
    }

    private static byte[] digest(String key, byte[] bytes, int from) {
        MessageDigest digest = DigestUtils.getSha256Digest();
        digest.update(key.getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes, from, bytes.length - from);
        return digest.digest();
    }
}
