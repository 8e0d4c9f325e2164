package dev.tilewright.gpu.nvrtc.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * A file of a jar, as it was published.
 *
 * @param entry its path in the jar
 * @param bytes its size
 * @param sha256 its digest, in hexadecimal
 */
record PinnedFile(String entry, long bytes, String sha256) {

    /** Its name without folders: what it is called once unpacked. */
    String name() {
        return entry.substring(entry.lastIndexOf('/') + 1);
    }

    /** Whether a file is this one, to the byte. */
    boolean isAt(Path file) {
        MessageDigest digest = DigestUtils.getSha256Digest();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[1 << 18];
            for (int count; (count = in.read(buffer)) >= 0; ) {
                digest.update(buffer, 0, count);
            }
        } catch (IOException e) {
            return false;
        }
        return sha256.equals(HexFormat.of().formatHex(digest.digest()));
    }
}
