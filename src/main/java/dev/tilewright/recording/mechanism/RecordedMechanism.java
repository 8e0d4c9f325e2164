package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
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
public interface RecordedMechanism extends RowKind {
    /** Bytes that a row holds as they are; of longer results it has these first ones and a hash. */
    int BYTES_KEPT = 32;

    /** The {@code kind} of its rows, and what the command calls it. */
    String kind();

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
    Experiment experiment(JsonFields row);

    @Override
    default String counted(JsonFields row) {
        return kind();
    }

    /** The fields that are drawn, and the outcome. */
    @Override
    default Set<String> fields(JsonFields row) {
        Set<String> names = new TreeSet<>(Set.of("kind", "fnv", "bytes"));
        ObjectNode drawn = JsonNodeFactory.instance.objectNode();
        draw(drawn, new SplittableRandom(0), 0);
        drawn.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Adds what came out. @param after the shown bytes of the experiment */
    default void outcome(ObjectNode row, Experiment experiment, byte[] after) {
        row.put("fnv", Fnv.text(after));
        row.put("bytes", HexFormat.of().formatHex(after, 0, Math.min(bytesKept(row), after.length)));
    }

    /** How many of a result's first bytes a row holds. */
    default int bytesKept(ObjectNode row) {
        return BYTES_KEPT;
    }

    @Override
    default Optional<String> difference(JsonFields row) {
        return difference(row, experiment(row).onReference());
    }

    /** What a row says otherwise of these bytes, with the first that differs where the row has it; or nothing. */
    default Optional<String> difference(JsonFields row, byte[] after) {
        byte[] first = row.has("bytes") ? row.hex("bytes") : new byte[0];
        String recorded = row.text("fnv");
        if (!recorded.matches("[0-9a-fA-F]{1,16}")) {
            throw JsonFields.wrong("fnv", "a 64-bit number in hexadecimal digits", row.require("fnv"));
        }
        byte[] ours = Arrays.copyOf(after, Math.min(first.length, after.length));
        int at = Arrays.mismatch(first, ours);
        if (at >= 0) {
            return Optional.of("byte " + at + " is " + digits(ours, at) + ", the recording says " + digits(first, at));
        }
        String hash = Fnv.text(after);
        return HexFormat.fromHexDigitsToLong(hash) == HexFormat.fromHexDigitsToLong(recorded) ? Optional.empty()
                : Optional.of("the hash of the " + after.length + " bytes is " + hash + ", the recording says "
                        + recorded);
    }

    private static String digits(byte[] bytes, int at) {
        return at < bytes.length ? "0x" + HexFormat.of().toHexDigits(bytes[at]) : "not there";
    }
}
