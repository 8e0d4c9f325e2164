package dev.tilewright.tile;

import dev.tilewright.tuning.TunedTiles;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * All that decides the bits of a kernel's results, given those of its tensors: whose products, their steps along k,
 * splits, the orders of reductions and scans, and every operation on elements. Where signatures are equal, bytes are:
 * by whatever schedule, on whatever device, whatever else is in the launch.
 *
 * @param text a line a fact
 */
public record Signature(String text) {
    public Signature {
        Objects.requireNonNull(text, "text");
    }

    /**
     * A SHA-256, as 64 hexadecimal digits, of the text but for its line about the {@link Batch}, which follows from the
     * kernel.
     */
    public String hash() {
        return hash(text.lines().filter(line -> !line.startsWith(Batch.LINE)).map(line -> line + "\n")
                .collect(Collectors.joining()));
    }

    /** The key of the kernel in tables of measured schedules: the first digits of the {@link #hash}. */
    public String bits() {
        return hash().substring(0, TunedTiles.DIGITS);
    }

    static String hash(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The text. */
    @Override
    public String toString() {
        return text;
    }
}
