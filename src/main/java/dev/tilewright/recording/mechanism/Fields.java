package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** The fields of a row, each held against the values that it may have. */
public record Fields(JsonFields json) {

    public static Fields of(ObjectNode row) {
        return new Fields(new JsonFields(row));
    }

    String text(String name) {
        return json.text(name);
    }

    boolean has(String name) {
        return json.has(name);
    }

    /** A number of 64 bits, with a sign. */
    long wide(String name) {
        return json.integer(name);
    }

    /** @throws BadRequestException if it is not within these ends */
    int number(String name, int least, int most) {
        long number = json.integer(name);
        if (number < least || number > most) {
            throw JsonFields.wrong(name, "in [" + least + ", " + most + "]", number);
        }
        return (int) number;
    }

    boolean flag(String name) {
        return number(name, 0, 1) == 1;
    }

    List<Long> wides(String name) {
        return json.integers(name);
    }

    /** Numbers of 32 bits. */
    List<Integer> numbers(String name) {
        try {
            return json.integers(name).stream().map(Math::toIntExact).toList();
        } catch (ArithmeticException e) {
            throw JsonFields.tooLarge(name, "32 bits", json.require(name).toString());
        }
    }

    /** A constant that has this name in any case, or is written so. */
    <E extends Enum<E>> E constant(String name, Class<E> type) {
        String text = text(name);
        return Arrays.stream(type.getEnumConstants())
                .filter(c -> c.name().equalsIgnoreCase(text) || c.toString().equals(text)).findFirst()
                .orElseThrow(() -> JsonFields.wrong(name, "one of " + Arrays.toString(type.getEnumConstants()), text));
    }

    /** A constant by its number. */
    <E extends Enum<E>> E numbered(String name, Class<E> type) {
        return type.getEnumConstants()[number(name, 0, type.getEnumConstants().length - 1)];
    }

    byte[] hex(String name) {
        try {
            return HexFormat.of().parseHex(text(name));
        } catch (IllegalArgumentException e) {
            throw JsonFields.wrong(name, "pairs of hexadecimal digits", text(name));
        }
    }
}
