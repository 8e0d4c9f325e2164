package dev.tilewright.cli.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * The JSON that the command prints and writes. It is made of records: their components are its fields, in their order,
 * so that the same report is the same text; enums are what they call themselves.
 */
public final class Json {
    private static final ObjectWriter LINE =
            JsonMapper.builder().enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING).build().writer();
    private static final ObjectWriter DOCUMENT = LINE.withDefaultPrettyPrinter();

    private Json() { }

    /** A report, for people too. */
    public static String document(Object report) {
        return text(DOCUMENT, report);
    }

    /** A value on one line. */
    public static String line(Object value) {
        return text(LINE, value);
    }

    private static String text(ObjectWriter writer, Object value) {
        try {
            return writer.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("this report has no JSON form", e);
        }
    }
}
