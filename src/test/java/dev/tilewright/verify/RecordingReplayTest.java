package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.Thorough;
import dev.tilewright.recording.RecordingFile;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Recordings of all kinds at once. */
class RecordingReplayTest {
    private static final Path RECORDINGS = Path.of(System.getProperty("tilewright.root", "."),
            "native-tests/recordings");
    private static final Map<String, List<String>> FIRST_ROWS = new HashMap<>();

    @TempDir
    Path folder;

    /**
     * The older recordings; those of the newer format are {@link ShippedRecordingsTest}'s. An ordinary run takes one
     * row in twelve, as {@code .ci/steps/33-kernels} replays all.
     */
    @Test
    void everyRowOfEveryRecordingAgrees() throws IOException {
        int rows = 0;
        int taken = 0;
        RecordingReplay replay = new RecordingReplay();
        for (String file : List.of("encode", "encode-interleaved", "tile-load", "im2col-load", "interleave-load",
                "store-reduce", "reduce", "mma", "mma-more", "unaligned-starts", "wgmma-operand")) {
            List<String> some = new ArrayList<>();
            for (RecordingFile.Line row : RecordingFile.read(RECORDINGS.resolve(file + ".jsonl.gz")).rows()) {
                if (Thorough.takes(rows++, 12)) {
                    some.add(row.text());
                }
            }
            taken += some.size();
            replay.file(Files.write(folder.resolve(file + ".jsonl"), some));
        }
        assertEquals(List.of(), replay.disagreements());
        assertEquals(28_359, rows);
        assertEquals("replayed " + taken + " agreed " + taken + " disagreed 0", replay.lastLine());
        if (taken < rows) {
            return;
        }
        Map<String, Long> expected = new TreeMap<>(Map.of("encode tile", 13143L, "encode im2col", 6857L, "load tile",
                3000L, "store tile", 266L, "load im2col", 1600L, "load interleaved", 183L, "wgmma-operand", 800L,
                "mma", 1244L, "wgmma", 244L, "start", 506L));
        expected.put("reduce", 72L);
        Map.of("add", 136L, "and", 42L, "dec", 13L, "inc", 13L, "max", 83L, "min", 79L, "or", 37L, "xor", 41L)
                .forEach((op, count) -> expected.put("reduce " + op, count));
        Map<String, Long> counted = new TreeMap<>();
        replay.counts().forEach((kind, count) -> {
            assertEquals(new Count(count.agreed(), 0, 0), count, kind);
            counted.merge(kind.matches("(mma|wgmma|start|reduce (linear|shared|tensor)) .*")
                    ? kind.substring(0, kind.indexOf(' ')) : kind, count.agreed(), Long::sum);
        });
        assertEquals(expected, counted);
    }

    @Test
    void kindsMayBeMixedAndFilesAddUp() throws IOException {
        Path file = write(row("encode", 0), row("tile-load", 0), "{\"kind\":\"dance\",\"mode\":\"tile\"}",
                row("store-reduce", 0));
        RecordingReplay replay = new RecordingReplay().file(file).file(file);
        assertEquals(Map.of("encode tile", new Count(2, 0, 0), "load tile", new Count(2, 0, 0), "dance tile",
                new Count(0, 0, 2), "store tile", new Count(2, 0, 0)), replay.counts());
        assertEquals("replayed 6 agreed 6 disagreed 0", replay.lastLine());
    }

    @Test
    void disagreementsNameFileLineAndByte() throws IOException {
        Path file = write("",
                changed(row("encode", 0), f -> f.put("map", "00" + "ff" + f.get("map").asText().substring(4))),
                changed(row("encode", 0), f -> f.put("result", 1)), changed(row("encode", 1), f -> {
                    f.put("result", 0);
                    f.put("map", "00".repeat(128));
                }), changed(row("tile-load", 0), f -> f.put("tx", 16)));
        RecordingReplay replay = new RecordingReplay().file(file);
        List<String> lines = replay.disagreements().stream().map(d -> d.toString().lines().findFirst().orElseThrow())
                .toList();
        assertEquals(file + ":2: first differing byte 0x01: the driver has ff, pure Java 9f", lines.get(0));
        assertEquals(file + ":3: refused by the driver, accepted by pure Java", lines.get(1));
        assertTrue(lines.get(2)
                .startsWith(file + ":4: accepted by the driver, refused by pure Java: this tensor map cannot be"
                + " encoded: "), lines.get(2));
        assertEquals(file + ":5: the barrier counts 3840 bytes, the recording says 16", lines.get(3));
        assertEquals("replayed 4 agreed 0 disagreed 4", replay.lastLine());
    }

    @Test
    void twentyDisagreementsAreNamed() throws IOException {
        String wrong = changed(row("encode", 0), f -> f.put("result", 1));
        RecordingReplay replay = new RecordingReplay()
                .file(write(java.util.Collections.nCopies(33, wrong).toArray(String[]::new)));
        assertEquals(20, replay.disagreements().size());
        assertEquals(new Count(0, 33, 0), replay.total());
    }

    @Test
    void linesThatAreNoRowsAreNamed() throws IOException {
        Path missing = write(row("encode", 0), changed(row("encode", 0), f -> f.remove("swizzle")));
        assertEquals(missing + ":2: field 'swizzle' is missing",
                assertThrows(BadRequestException.class, () -> new RecordingReplay().file(missing)).getMessage());
        for (String line : List.of("{}", "{\"kind\":3}", "{\"kind\":null}", "{\"mode\":\"tile\"}")) {
            Path none = write(line);
            assertEquals(none + ":1: no row of a recording: it has no \"kind\"",
                    assertThrows(BadRequestException.class, () -> new RecordingReplay().file(none)).getMessage());
        }
    }

    @Test
    void whatTheReferenceRefusesDisagrees() throws IOException {
        Path file = write(changed(row("tile-load", 0), f -> ((ArrayNode) f.get("coord")).set(0, f.numberNode(1))));
        assertTrue(new RecordingReplay().file(file).disagreements().getFirst().what()
                .startsWith("the reference refuses it: "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"tx\":3840, | | field 'tx' is missing",
        "\"tx\":3840 | \"tx\":1.5 | field 'tx' must be an integer, got 1.5",
        "\"tx\":3840 | \"tx\":-1 | field 'tx' must be in [0, 232448], got -1",
        "\"smem\":31744 | \"smem\":232449 | field 'smem' must be in [0, 232448], got 232449",
        "\"address\":816 | \"address\":1048577 | field 'address' must be in [0, 1048576], got 1048577",
        "\"dtype\":9 | \"dtype\":13 | these numbers are of no instruction that can be run: dtype must be in [0"
        + ", 12] to ",
        "\"swizzle\":1 | \"swizzle\":7 | these numbers are of no instruction that can be run: swizzle must be in"
        + " [0, 6]",
        "[16,2,10,12] | [16,2,10,4294967308] | these numbers are of no instruction that can be run: box[3] "
        + "must fit 32 ",
        "[16,2,10,12] | [16,2,10,true] | field 'box[3]' must be an integer, got true",
        "f6995e695ef5f025 | xyz | field 'fnv' must be a 64-bit number in hexadecimal digits, got \"xyz\"",
        "00ff7f | 0 | field 'bytes' must be pairs of hexadecimal digits, got \"0\""})
    void fieldsOutOfRangeAreNamed(String text, String replacement, String message) throws IOException {
        String load = "{\"kind\":\"load\",\"mode\":\"tile\",\"dtype\":9,\"address\":816,\"dim\":[5,8,6,4],"
                + "\"stride\":[16,128,768],\"box\":[16,2,10,12],\"elementStride\":[1,1,1,2],\"interleave\":0,"
                + "\"swizzle\":1,\"l2\":3,\"oob\":1,\"coord\":[0,0,0,0],\"seed\":1,\"tx\":3840,"
                + "\"fnv\":\"f6995e695ef5f025\",\"smem\":31744,\"bytes\":\"00ff7f\"}";
        Path file = write(load.replace(text, replacement == null ? "" : replacement));
        String refusal = assertThrows(BadRequestException.class, () -> new RecordingReplay().file(file)).getMessage();
        assertTrue(refusal.startsWith(file + ":1: " + message.strip()), refusal);
    }

    /**
     * One field of a row becomes something else: the row agrees or not, is skipped, or is named. Nothing else is
     * thrown.
     */
    @Test
    void anyChangeOfARowIsJudgedOrNamedIn600ChangesOfSeed5() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        List<String> good = new ArrayList<>();
        for (String file : List.of("encode", "tile-load", "store-reduce")) {
            for (int i = 0; i < 12; i++) {
                good.add(row(file, i));
            }
        }
        List<String> values = List.of("0", "-1", "1", "7", "16", "255", "4294967296", "1e99", "99999999999999999999",
                "\"x\"", "\"\"", "null", "true", "[]", "[1]", "[1,2,3]", "[-5,\"a\"]", "[0,0,0,0,0,0,0]", "{}",
                "[100000,100000]", "-2147483648");
        int judged = 0;
        for (int i = 0; i < 600; i++) {
            String row = good.get(random.nextInt(good.size()));
            String value = values.get(random.nextInt(values.size()));
            Path file = write(changed(row, f -> {
                List<String> names = new ArrayList<>();
                f.fieldNames().forEachRemaining(names::add);
                names.remove("kind");
                f.putRawValue(names.get(random.nextInt(names.size())),
                        new com.fasterxml.jackson.databind.util.RawValue(value));
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
        return RecordingFile.read(RECORDINGS.resolve(file + ".jsonl.gz")).rows().stream().limit(12)
                .map(RecordingFile.Line::text).toList();
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
        return Files.writeString(folder.resolve("rows.jsonl"), java.util.Arrays.stream(lines)
                .collect(Collectors.joining("\n")));
    }
}
