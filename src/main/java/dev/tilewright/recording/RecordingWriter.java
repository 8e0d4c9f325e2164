package dev.tilewright.recording;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.io.AtomicFile;
import dev.tilewright.io.FileProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * Makes a recording of the newest format: the header, rows, and a last line that says how many rows there are and what
 * the SHA-256 of all before it is. The file is written when it is complete, by one renaming; the same lines are the
 * same bytes. A name that ends with {@code .gz} is compressed.
 */
public final class RecordingWriter {
    private final Path file;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private int rows;

    /**
     * A recording that has no row yet.
     *
     * @throws dev.tilewright.BadRequestException if no file can be written there
     */
    public RecordingWriter(Path file, RecordingHeader header) {
        this.file = file;
        requirePlace(file);
        line(header.line());
    }

    /** Refuses a place where no recording can be written, before any work is done for it. */
    public static void requirePlace(Path file) {
        try {
            AtomicFile.requirePlace(file);
        } catch (IOException e) {
            throw FileProblem.of("write the recording", file, e);
        }
    }

    /** Adds a row. */
    public void row(ObjectNode row) {
        line(row);
        rows++;
    }

    private void line(ObjectNode line) {
        lines.writeBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** The last line of a recording whose other lines these are. */
    static ObjectNode end(int rows, byte[] lines) {
        return JsonNodeFactory.instance.objectNode().put("kind", RecordingFile.END).put("rows", rows)
                .put("sha256", DigestUtils.sha256Hex(lines));
    }

    /**
     * Writes the file, in place of one of its name.
     *
     * @throws dev.tilewright.BadRequestException if that is not possible; a file of its name is then as it was
     */
    public void finish() {
        line(end(rows, lines.toByteArray()));
        try (AtomicFile place = AtomicFile.named(file)) {
            try (OutputStream out = open(place.path())) {
                lines.writeTo(out);
            }
            place.commit();
        } catch (IOException e) {
            throw FileProblem.of("write the recording", file, e);
        }
    }

    private OutputStream open(Path path) throws IOException {
        OutputStream out = Files.newOutputStream(path);
        return file.toString().endsWith(".gz") ? new Smallest(out) : out;
    }

    /** As small as gzip makes it. Java writes no time and no name into its header. */
    private static final class Smallest extends GZIPOutputStream {
        Smallest(OutputStream out) throws IOException {
            super(out, 1 << 16);
            def.setLevel(9);
        }
    }
}
