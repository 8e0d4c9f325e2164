package dev.tilewright.verify;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import dev.tilewright.recording.RecordingFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads recordings of real hardware: JSON lines, plain or gzipped, one row for each tensor copy or map that was tried.
 * The files in {@code native-tests/recordings} were made on an H200.
 */
public final class Recordings {
    private Recordings() {
    }

    /**
     * All rows of a file, in order.
     *
     * @throws BadRequestException if the file cannot be read, or a line is not a JSON object with a {@code kind}
     */
    public static List<RecordingsRow> read(Path file) {
        List<RecordingsRow> rows = new ArrayList<>();
        forEach(file, file.getFileName().toString(), rows::add);
        return rows;
    }

    /**
     * Hands on the rows of a file one by one, in order.
     *
     * @param name what messages call the file
     * @throws BadRequestException as {@link #read}, once the rows before have been handed on
     */
    public static void forEach(Path file, String name, Consumer<RecordingsRow> action) {
        for (RecordingFile.Line line : RecordingFile.read(file).rows()) {
            action.accept(row(name + ":" + line.number(), line.text()));
        }
    }

    static RecordingsRow row(String place, String line) {
        ObjectNode fields;
        try {
            fields = JsonFields.parse(line, "row", Integer.MAX_VALUE).object();
        } catch (BadRequestException e) {
            throw new BadRequestException(place + ": " + e.getMessage(), e);
        }
        if (!fields.path("kind").isTextual()) {
            throw new BadRequestException(place + " is not a row of a recording: it has no \"kind\"");
        }
        return new RecordingsRow(place, fields);
    }
}
