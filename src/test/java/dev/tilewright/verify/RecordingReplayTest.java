package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.verify.RecordingReplay.Count;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of all kinds at once. */
class RecordingReplayTest {
    private static final Path RECORDINGS = Path.of(System.getProperty("tilewright.root", "."), "native-tests/recordings");
    private static final Map<String, List<String>> FIRST_ROWS = new HashMap<>();

    @TempDir
    Path folder;

    @Test
    void everyRowOfEveryRecordingAgrees() {
        RecordingReplay replay = new RecordingReplay();
        for (String file : List.of("encode", "tile-load", "im2col-load", "interleave-load", "store-reduce")) {
            replay.file(RECORDINGS.resolve(file + ".jsonl.gz"));
        }
        assertEquals(List.of(), replay.disagreements());
        assertEquals("replayed 21493 agreed 21493 disagreed 0", replay.lastLine());
        Map<String, Count> expected = new TreeMap<>(Map.of("encode tile", new Count(11143, 0, 0),
                "encode im2col", new Count(4857, 0, 0), "load tile", new Count(3000, 0, 0), "store tile", new Count(266, 0, 0),
                "load im2col", new Count(1600, 0, 0), "load interleaved", new Count(183, 0, 0)));
        Map.of("add", 136, "and", 42, "dec", 13, "inc", 13, "max", 83, "min", 79, "or", 37, "xor", 41)
                .forEach((op, count) -> expected.put("reduce " + op, new Count(count, 0, 0)));
        assertEquals(expected, replay.counts());
        assertEquals(new Count(21493, 0, 0), replay.total());
    }

    @Test
    void kindsMayBeMixedAndFilesAddUp() throws IOException {
        Path file = write(row("encode", 0), row("tile-load", 0), "{\"kind\":\"dance\",\"mode\":\"tile\"}", row("store-reduce", 0));
        RecordingReplay replay = new RecordingReplay().file(file).file(file);
        assertEquals(Map.of("encode tile", new Count(2, 0, 0), "load tile", new Count(2, 0, 0), "dance tile", new Count(0, 0, 2),
                "store tile", new Count(2, 0, 0)), replay.counts());
        assertEquals("replayed 6 agreed 6 disagreed 0", replay.lastLine());
    }

    @Test
    void disagreementsNameFileLineAndByte() throws IOException {
        Path file = write("", changed(row("encode", 0), f -> f.put("map", "00" + "ff" + f.get("map").asText().substring(4))),
                changed(row("encode", 0), f -> f.put("result", 1)), changed(row("encode", 1), f -> {
                    f.put("result", 0);
                    f.put("map", "00".repeat(128));
                }), changed(row("tile-load", 0), f -> f.put("tx", 16)));
        RecordingReplay replay = new RecordingReplay().file(file);
        List<String> lines = replay.disagreements().stream().map(d -> d.toString().lines().findFirst().orElseThrow()).toList();
        assertEquals(file + ":2: first differing byte 0x01: the driver has ff, pure Java 9f", lines.get(0));
        assertEquals(file + ":3: refused by the driver, accepted by pure Java", lines.get(1));
        assertTrue(lines.get(2).startsWith(file + ":4: accepted by the driver, refused by pure Java: this tensor map cannot be"
                + " encoded: "), lines.get(2));
        assertEquals(file + ":5: the barrier counts 3840 bytes, the recording says 16", lines.get(3));
        assertEquals("replayed 4 agreed 0 disagreed 4", replay.lastLine());
    }

    @Test
    void twentyDisagreementsAreNamed() throws IOException {
        String wrong = changed(row("encode", 0), f -> f.put("result", 1));
        RecordingReplay replay = new RecordingReplay().file(write(java.util.Collections.nCopies(33, wrong).toArray(String[]::new)));
        assertEquals(20, replay.disagreements().size());
        assertEquals(new Count(0, 33, 0), replay.total());
    }

    @Test
    void linesThatAreNoRowsAreNamed() throws IOException {
        Path missing = write(row("encode", 0), changed(row("encode", 0), f -> f.remove("swizzle")));
        assertEquals(missing + ":2: field 'swizzle' is missing",
                assertThrows(BadRequestException.class, () -> new RecordingReplay().file(missing)).getMessage());
        Path none = write("{\"mode\":\"tile\"}");
        assertEquals(none + ":1 is not a row of a recording: it has no \"kind\"",
                assertThrows(BadRequestException.class, () -> new RecordingReplay().file(none)).getMessage());
    }

    /** One field of a row becomes something else: the row agrees or not, is skipped, or is named. Nothing else is thrown. */
    @Test
    void anyChangeOfARowIsJudgedOrNamedIn600ChangesOfSeed5() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        List<String> good = new ArrayList<>();
        for (String file : List.of("encode", "tile-load", "store-reduce")) {
            for (int i = 0; i < 12; i++) {
                good.add(row(file, i));
            }
        }
        List<String> values = List.of("0", "-1", "1", "7", "16", "255", "4294967296", "1e99", "99999999999999999999", "\"x\"", "\"\"",
                "null", "true", "[]", "[1]", "[1,2,3]", "[-5,\"a\"]", "[0,0,0,0,0,0,0]", "{}", "[100000,100000]", "-2147483648");
        int judged = 0;
        for (int i = 0; i < 600; i++) {
            String row = good.get(random.nextInt(good.size()));
            String value = values.get(random.nextInt(values.size()));
            Path file = write(changed(row, f -> {
                List<String> names = new ArrayList<>();
                f.fieldNames().forEachRemaining(names::add);
                names.remove("kind");
                f.putRawValue(names.get(random.nextInt(names.size())), new com.fasterxml.jackson.databind.util.RawValue(value));
            }));
            try {
                Count count = new RecordingReplay().file(file).total();
                assertEquals(1, count.agreed() + count.disagreed() + count.skipped());
                judged++;
            } catch (BadRequestException e) {
                assertTrue(e.getMessage().startsWith(file + ":1: "), e::getMessage);
            }
        }
        assertTrue(judged > 60 && judged < 500, Integer.toString(judged));
    }

    private static String row(String file, int index) {
        return FIRST_ROWS.computeIfAbsent(file, RecordingReplayTest::firstRows).get(index);
    }

    private static List<String> firstRows(String file) {
        return Recordings.read(RECORDINGS.resolve(file + ".jsonl.gz")).stream().limit(12).map(r -> r.fields().toString()).toList();
    }

    private static String changed(String row, Consumer<ObjectNode> change) {
        try {
            ObjectNode fields = (ObjectNode) new com.fasterxml.jackson.databind.ObjectMapper().readTree(row);
            change.accept(fields);
            return fields.toString();
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private Path write(String... lines) throws IOException {
        return Files.writeString(folder.resolve("rows.jsonl"), java.util.Arrays.stream(lines).collect(Collectors.joining("\n")));
    }
}
