package dev.tilewright.verify;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.io.FileProblem;
import dev.tilewright.json.JsonFields;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.commons.lang3.Strings;

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
        try (InputStream in = open(file);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                // Windows programs begin a file with a mark of the byte order.
                String text = number == 1 ? Strings.CS.removeStart(line, "\uFEFF") : line;
                if (!text.isBlank()) {
                    action.accept(row(name + ":" + number, text));
                }
            }
        } catch (ZipException e) {
            throw new BadRequestException("cannot read the recording " + file + ": its gzip data is damaged", e);
        } catch (EOFException e) {
            throw new BadRequestException("cannot read the recording " + file + ": its gzip data ends too early", e);
        } catch (IOException e) {
            throw FileProblem.of("read the recording", file, e);
        }
    }

    private static RecordingsRow row(String place, String line) {
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

    /** Looks at the first two bytes, not at the name, to see whether the file is gzipped. */
    private static InputStream open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file));
        try {
            in.mark(2);
            boolean gzipped = in.read() == 0x1F && in.read() == 0x8B;
            in.reset();
            return gzipped ? new GZIPInputStream(in, 1 << 16) : in;
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }
}
