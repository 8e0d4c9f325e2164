package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.recording.Fnv;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * A kind of instruction as recordings know it. A row says by its fields which tile program is run on which data, and
 * what memory holds afterwards; so a GPU and the reference executor do the same from the same row.
 */
public interface Mechanism {
    /** Bytes that a row holds as they are; of longer results it has these first ones and a hash. */
    int BYTES_KEPT = 32;

    /** The {@code kind} of its rows. */
    String kind();

    /** What the command calls it, where it is not the kind of its rows. */
    default String name() {
        return kind();
    }

    /**
     * Draws the fields that say what is done. Whatever is drawn neither faults nor waits for ever.
     *
     * @param index how many were drawn before: what there are few of is taken in turn
     */
    void draw(ObjectNode row, SplittableRandom random, int index);

    /**
     * What a row's fields say.
     *
     * @throws dev.tilewright.BadRequestException if a field is missing or out of its range
     */
    Experiment experiment(Fields row);

    /** The names of its rows' fields: those that are drawn, and the outcome. */
    default Set<String> fields() {
        Set<String> names = new TreeSet<>(Set.of("kind", "fnv", "bytes"));
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        draw(row, new SplittableRandom(0), 0);
        row.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Adds what came out. @param after the bytes of {@link Experiment#run}, or what a mechanism makes of them */
    default void outcome(ObjectNode row, Experiment experiment, byte[] after) {
        row.put("fnv", Fnv.text(after));
        row.put("bytes", HexFormat.of().formatHex(after, 0, Math.min(bytesKept(row), after.length)));
    }

    /** How many of a result's first bytes a row holds. */
    default int bytesKept(ObjectNode row) {
        return BYTES_KEPT;
    }

    /** What is otherwise than a row says, with the first byte that differs where the row has it; or nothing. */
    default Optional<String> difference(Fields row, byte[] after) {
        byte[] first = row.hex("bytes");
        byte[] ours = Arrays.copyOf(after, Math.min(first.length, after.length));
        int at = Arrays.mismatch(first, ours);
        if (at >= 0) {
            return Optional.of("byte " + at + " is " + digits(ours, at) + ", the recording says " + digits(first, at));
        }
        String hash = Fnv.text(after);
        return hash.equals(row.text("fnv")) ? Optional.empty() : Optional.of("a byte behind the first " + first.length
                + " of " + after.length + " differs: their hash is " + hash + ", the recording says "
                + row.text("fnv"));
    }

    private static String digits(byte[] bytes, int at) {
        return at < bytes.length ? "0x" + HexFormat.of().toHexDigits(bytes[at]) : "not there";
    }
}
