package dev.tilewright.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.tilewright.BadRequestException;
import java.io.IOException;

/** Refuses lists and numbers that no description needs, token by token, so that nothing of their size is built. */
final class JsonLimits {
    /** The most characters of a number: far more than 64 bits need. */
    private static final int CHARACTERS = 1000;

    private final JsonParser parser;
    private final int entries;

    private JsonLimits(JsonParser parser, int entries) {
        this.parser = parser;
        this.entries = entries;
    }

    /**
     * Reads the object that the parser has just entered, to its end.
     *
     * @param entries the most that a list may have
     * @throws BadRequestException for the first list or number that is too long, with its field
     */
    static void check(JsonParser parser, int entries) throws IOException {
        new JsonLimits(parser, entries).object("");
    }

    private void object(String prefix) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = prefix + parser.currentName();
            parser.nextToken();
            value(name);
        }
    }

    private void value(String name) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> object(name + ".");
            case START_ARRAY -> list(name);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                if (parser.getTextLength() > CHARACTERS) {
                    throw JsonFields.tooLarge(name, "64 bits", parser.getText());
                }
            }
            default -> { }
        }
    }

    private void list(String name) throws IOException {
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (count < entries) {
                value(name + "[" + count + "]");
            } else {
                parser.skipChildren();
            }
            count++;
        }
        if (count > entries) {
            throw new BadRequestException("field '" + JsonFields.oneLine(name) + "' must have at most " + entries
                    + " entries, got " + count);
        }
    }
}
