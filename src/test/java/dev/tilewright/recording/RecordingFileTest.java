package dev.tilewright.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tilewright.BadRequestException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versioned recordings: whole, cut, altered, of another version. */
class RecordingFileTest {
    private static final DeviceDescription DEVICE = new DeviceDescription("NVIDIA H200", "9.0", "580.95.05", "13.0");
    private static final List<String> ROWS = List.of("{\"kind\":\"warp\",\"seed\":1}", "{\"kind\":\"warp\",\"seed\":2}",
            "{\"kind\":\"mma\",\"seed\":3,\"fnv\":\"0123456789abcdef\"}");

    @TempDir
    Path folder;

    private static Path written(Path file) {
        RecordingWriter writer = new RecordingWriter(file, new RecordingHeader(DEVICE, 7, List.of("mma", "warp")));
        writer.row(JsonNodeFactory.instance.objectNode().put("kind", "warp").put("seed", 1));
        writer.row(JsonNodeFactory.instance.objectNode().put("kind", "warp").put("seed", 2));
        writer.row(JsonNodeFactory.instance.objectNode().put("kind", "mma").put("seed", 3)
                .put("fnv", "0123456789abcdef"));
        writer.finish();
        return file;
    }

    private static List<String> texts(RecordingFile file) {
        return file.rows().stream().map(RecordingFile.Line::text).toList();
    }

    @Test
    void whatIsWrittenIsRead() {
        for (String name : List.of("a.jsonl", "a.jsonl.gz")) {
            RecordingFile read = RecordingFile.read(written(folder.resolve(name)));
            assertEquals(
                    Optional.of(new RecordingHeader(1, "NVIDIA H200", "9.0", "580.95.05", "13.0", ToolVersion.TEXT, 7,
                    List.of("mma", "warp"))), read.header());
            assertEquals(ROWS, texts(read));
            assertEquals(List.of(2, 3, 4), read.rows().stream().map(RecordingFile.Line::number).toList());
        }
        assertEquals("NVIDIA H200 (compute capability 9.0, driver 580.95.05, CUDA 13.0)",
                new RecordingHeader(DEVICE, 7, List.of()).origin());
    }

    @Test
    void nothingIsWrittenBeforeTheEnd() throws IOException {
        Path file = folder.resolve("b.jsonl");
        new RecordingWriter(file, new RecordingHeader(DEVICE, 7, List.of()));
        assertTrue(Files.notExists(file));
        Path nowhere = Files.createFile(folder.resolve("no-folder")).resolve("c.jsonl");
        assertTrue(assertThrows(BadRequestException.class, () -> written(nowhere)).getMessage()
                .startsWith("cannot write the recording " + nowhere + ": "));
    }

    /** Every prefix is refused, compressed or not, but for the empty one, which is a file without rows. */
    @Test
    void everyCutIsRefused() throws IOException {
        for (String name : List.of("cut.jsonl", "cut.jsonl.gz")) {
            byte[] whole = Files.readAllBytes(written(folder.resolve(name)));
            for (int length = 1; length < whole.length; length++) {
                Path cut = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, length));
                if (length == 1 && name.endsWith(".gz")) {
                    // One byte is no gzip yet, but a file without rows, which replay refuses.
                    assertEquals(0, RecordingFile.read(cut).rows().size());
                    continue;
                }
                int at = length;
                try {
                    RecordingFile read = RecordingFile.read(cut);
                    // Within the first line nothing tells that it is one: whoever parses it finds it no JSON.
                    assertTrue(read.header().isEmpty() && read.rows().size() == 1
                            && at < 20, () -> name + " cut at " + at);
                } catch (BadRequestException e) {
                    assertEquals(1, e.getMessage().lines().count());
                }
            }
        }
    }

    /** A byte that is another is found, wherever it is; of gzip's own some mean nothing. */
    @Property(tries = 120)
    void everyAlteredByteIsFound(@ForAll long seed, @ForAll @IntRange(min = 1, max = 255) int change)
            throws IOException {
        Path place = Files.createTempDirectory("altered");
        try {
            SplittableRandom random = new SplittableRandom(seed);
            Path file = written(place.resolve(random.nextBoolean() ? "f.jsonl" : "f.jsonl.gz"));
            byte[] bytes = Files.readAllBytes(file);
            int at = random.nextInt(bytes.length);
            bytes[at] ^= (byte) change;
            Files.write(file, bytes);
            try {
                RecordingFile read = RecordingFile.read(file);
                boolean gzip = file.toString().endsWith(".gz");
                assertTrue(gzip && (texts(read).equals(ROWS) && read.header().isPresent()
                        || at < 2 && read.header().isEmpty()), () -> file + ": byte " + at + " changed by " + change);
            } catch (BadRequestException e) {
                assertEquals(1, e.getMessage().lines().count());
            }
        } finally {
            org.apache.commons.io.FileUtils.deleteDirectory(place.toFile());
        }
    }

    @Test
    void gzippedFilesAreKnownByTheirContent() throws IOException {
        Path file = folder.resolve("rows");
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write("{\"kind\":\"a\"}\n\n{\"kind\":\"b\"}\n".getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(List.of(new RecordingFile.Line(1, "{\"kind\":\"a\"}"),
                new RecordingFile.Line(3, "{\"kind\":\"b\"}")), RecordingFile.read(file).rows());
        assertEquals(List.of(), RecordingFile.read(Files.writeString(file, "")).rows());
    }

    @Test
    void filesThatCannotBeReadAreNamed() throws IOException {
        Path missing = folder.resolve("missing.jsonl");
        assertEquals("cannot read the recording " + missing + ": there is no such file",
                assertThrows(BadRequestException.class, () -> RecordingFile.read(missing)).getMessage());
        Path cut = Files.write(folder.resolve("cut.gz"), new byte[] {0x1F, (byte) 0x8B, 8, 0, 0});
        assertEquals("cannot read the recording " + cut + ": its gzip data ends too early",
                assertThrows(BadRequestException.class, () -> RecordingFile.read(cut)).getMessage());
    }

    @Test
    void newerFormatsAreRefused() throws IOException {
        Path file = folder.resolve("new.jsonl");
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        lines.writeBytes("{\"kind\":\"recording\",\"format\":2,\"tilewright\":\"0.9.0\",\"new\":{}}\n".getBytes(
                StandardCharsets.UTF_8));
        lines.writeBytes((RecordingWriter.end(0, lines.toByteArray()) + "\n").getBytes(StandardCharsets.UTF_8));
        Files.write(file, lines.toByteArray());
        assertEquals("the recording " + file + " is of format 2, and this version reads formats up to 1: use the "
                + "version of"
                + " Tilewright that made it (0.9.0), or a newer one",
                assertThrows(BadRequestException.class, () -> RecordingFile.read(file)).getMessage());
    }

    @Test
    void rowsThatAreAddedOrLeftOutAreNamed() throws IOException {
        Path file = written(folder.resolve("d.jsonl"));
        List<String> lines = Files.readAllLines(file);
        assertRefused(lines.subList(1, lines.size()), "has been altered since it was made: its first line is not that "
                + "of a"
                + " recording, and line 4 is of one");
        assertRefused(List.of(lines.get(0), lines.get(1), lines.get(3), lines.get(4)),
                "has been altered since it was made: the hash in its last line is of other lines");
        assertRefused(lines.subList(0, 4), "is cut short: its last line, which counts its rows, is not there");
    }

    private void assertRefused(List<String> lines, String how) {
        Path file = folder.resolve("e.jsonl");
        try {
            Files.writeString(file, String.join("\n", lines) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertEquals("the recording " + file + " " + how + "; make or copy it again",
                assertThrows(BadRequestException.class, () -> RecordingFile.read(file)).getMessage());
    }
}
