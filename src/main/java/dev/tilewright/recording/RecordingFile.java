package dev.tilewright.recording;

import dev.tilewright.BadRequestException;
import dev.tilewright.io.FileProblem;
import dev.tilewright.json.JsonFields;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.commons.lang3.Strings;

/**
 * A recording that has been read: JSON lines, plain or gzip. A versioned one has a header as its first line and a hash
 * as its last, and is only had whole and unaltered; older ones are rows alone.
 *
 * @param header nothing for one without a version
 * @param rows lines that are not blank, the header and the last line left out
 */
public record RecordingFile(Optional<RecordingHeader> header, List<Line> rows) {
    /** The {@code kind} of the last line. */
    static final String END = "end";

    /** A line. @param number from 1 */
    public record Line(int number, String text) { }

    public RecordingFile {
        rows = List.copyOf(rows);
    }

    /**
     * Reads a file.
     *
     * @throws BadRequestException in one sentence, if it cannot be read, is cut short, has been altered or is of a
     *     newer format
     */
    public static RecordingFile read(Path file) {
        byte[] content;
        try (InputStream in = open(file)) {
            content = in.readAllBytes();
        } catch (ZipException e) {
            throw new BadRequestException("cannot read the recording " + file + ": its gzip data is damaged", e);
        } catch (EOFException e) {
            throw new BadRequestException("cannot read the recording " + file + ": its gzip data ends too early", e);
        } catch (IOException e) {
            throw FileProblem.of("read the recording", file, e);
        }
        return of(content, file.toString());
    }

    private static RecordingFile of(byte[] content, String file) {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        for (String line : (Iterable<String>) new String(content, StandardCharsets.UTF_8).lines()::iterator) {
            number++;
            // Windows programs begin a file with a mark of the byte order.
            String text = number == 1 ? Strings.CS.removeStart(line, "\uFEFF") : line;
            if (!text.isBlank()) {
                lines.add(new Line(number, text));
            }
        }
        if (lines.isEmpty() || !isOfKind(lines.getFirst(), RecordingHeader.KIND)) {
            lines.stream().filter(l -> isOfKind(l, RecordingHeader.KIND) || isOfKind(l, END)).findFirst()
                    .ifPresent(l -> {
                throw altered(file, "its first line is not that of a recording, and line " + l.number() + " is of one");
            });
            return new RecordingFile(Optional.empty(), lines);
        }
        RecordingHeader header = header(lines.getFirst(), file);
        Line last = lines.getLast();
        if (lines.size() < 2 || !isOfKind(last, END) || content[content.length - 1] != '\n') {
            throw new BadRequestException("the recording " + file + " is cut short: its last line, which counts its "
                    + "rows, is not there; make or copy it again");
        }
        List<Line> rows = lines.subList(1, lines.size() - 1);
        int lastBytes = last.text().getBytes(StandardCharsets.UTF_8).length + 1;
        byte[] before = Arrays.copyOf(content, Math.max(0, content.length - lastBytes));
        if (!last.text().equals(RecordingWriter.end(rows.size(), before).toString())) {
            throw altered(file, "the hash in its last line is of other lines");
        }
        return new RecordingFile(Optional.of(header), rows);
    }

    private static BadRequestException altered(String file, String how) {
        return new BadRequestException("the recording " + file + " has been altered since it was made: " + how
                + "; make or copy it again");
    }

    /** Looks at the text alone: most lines are rows, which are read elsewhere. */
    private static boolean isOfKind(Line line, String kind) {
        return line.text().startsWith("{\"kind\":\"" + kind + "\"");
    }

    private static RecordingHeader header(Line line, String file) {
        try {
            return RecordingHeader.of(JsonFields.parse(line.text(), "first line", Integer.MAX_VALUE), file);
        } catch (BadRequestException e) {
            throw e.getMessage().startsWith("the recording ") ? e
                    : new BadRequestException(file + ":" + line.number() + ": " + e.getMessage(), e);
        }
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
