package dev.tilewright.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.BadRequestException;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.verify.EncodeReplay;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 16,000 calls of an H200's driver (native-tests/recordings): accept or refuse, the bytes, and the way back. */
class RecordedEncodesTest {

    private static List<JsonNode> rows() throws IOException {
        return rows(EncodeReplay.recordedCalls());
    }

    private static List<JsonNode> rows(Path file) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<JsonNode> rows = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                rows.add(json.readTree(line));
            }
        }
        return rows;
    }

    @Test
    void everyRowAgrees() throws IOException {
        EncodeReplay replay = new EncodeReplay().file(EncodeReplay.recordedCalls());
        assertEquals(List.of(), replay.disagreements());
        assertEquals(16_000, replay.agreed());
        assertEquals(new EncodeReplay.Count(8773, 8773, 5252), replay.counts().get("tile, interleave 0"));
        assertEquals(new EncodeReplay.Count(516, 516, 84), replay.counts().get("im2col, interleave 2"));
    }

    @Test
    void everyRecordedDescriptorDecodesToItsCall() throws IOException {
        int decoded = 0;
        for (JsonNode row : rows()) {
            if (row.get("result").asInt() == 0) {
                TensorMapDescriptor descriptor = TensorMapDescriptor.ofHex(row.get("map").asText());
                DecodedTensorMap back = descriptor.decode();
                assertEquals(EncodeReplay.call(row), back.call());
                assertTrue(back.unknowns().stream().noneMatch(u -> u.contains("0x") || u.contains("refuses")),
                        () -> back.unknowns().toString());
                decoded++;
            }
        }
        assertEquals(8119, decoded);
    }

    @Test
    void theFastCheckAgreesWithTheRules() throws IOException {
        for (JsonNode row : rows()) {
            FastCheckTest.assertAgrees(EncodeReplay.call(row));
        }
    }

    /** Copies were recorded through maps that the driver had encoded; addresses there are offsets in a window. */
    @Test
    void recordedCopiesCountTheBytesThatTheirMapsSay() throws IOException {
        int counted = 0;
        for (String file : List.of("tile-load", "im2col-load", "interleave-load", "store-reduce")) {
            for (JsonNode row : rows(EncodeReplay.recordedCalls().resolveSibling(file + ".jsonl.gz"))) {
                EncodeCall call = EncodeReplay.call(row);
                assertEquals(List.of(), Validation.of(call, Target.SM_90).errors(), call::toString);
                if (row.has("tx")) {
                    assertEquals(row.get("tx").asInt(), TensorMap.of(call).transactionBytes(), call::toString);
                    counted++;
                }
                if (row.get("kind").asText().equals("load") && !file.equals("interleave-load")) {
                    assertTrue(row.get("written").asLong() <= TensorMap.of(call).sharedBytes(), call::toString);
                }
            }
        }
        assertEquals(4600, counted);
    }

    @Test
    void disagreementsNameLineAndByte(@TempDir Path folder) throws IOException {
        String good = "{\"kind\":\"encode\",\"mode\":\"tile\",\"dtype\":0,\"rank\":1,\"address\":4096,\"dim\":[64],\"stride\":[],"
                + "\"box\":[16],\"elementStride\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0,\"result\":0,\"map\":\"";
        String hex = TiledTensorMap.innermostFirst(TensorDataType.UINT8).shape(64).box(16).build(Target.SM_90)
                .encode(Target.SM_90, 4096).hex();
        String wrong = hex.substring(0, 0x20 * 2) + "40" + hex.substring(0x20 * 2 + 2);
        Path file = folder.resolve("rows.jsonl");
        Files.writeString(file, "{\"kind\":\"load\"}\n" + good + wrong + "\"}\n"
                + good.replace("\"result\":0", "\"result\":1") + "\"}\n" + good + hex + "\"}\n");
        EncodeReplay replay = new EncodeReplay().file(file);
        assertEquals("""
                encode tile, interleave 0: 3 rows (2 accepted), agreed 1
                %s:2: first differing byte 0x20: the driver has 40, pure Java 3f
                %s:3: refused by the driver, accepted by pure Java
                replayed 3 agreed 1 disagreed 2
                """.formatted(file, file), replay.report());
    }

    @Test
    void badRowsAreNamed(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("rows.jsonl");
        String row = "{\"kind\":\"encode\",\"mode\":\"tile\",\"dtype\":0,\"address\":4096,\"dim\":[64],\"stride\":[],"
                + "\"box\":[16],\"elementStride\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0,\"result\":1}";
        assertBad(file, row.replace("\"swizzle\":0,", ""), ":1: field 'swizzle' is missing");
        assertBad(file, row.replace("[16]", "[1.5]"), ":1: field 'box[0]' must be an integer, got 1.5");
        assertBad(file, row.replace("[16]", "16"), ":1: field 'box' must be a list of integers, got 16");
        assertBad(file, row.replace("tile", "tiled"), ":1: field 'mode' must be tile or im2col, got 'tiled'");
        assertBad(file, "\n" + row + "\n{\"kind\":", ":3: the JSON ends too early: ");
    }

    private static void assertBad(Path file, String content, String message) throws IOException {
        Files.writeString(file, content);
        BadRequestException e = assertThrows(BadRequestException.class,
                () -> new EncodeReplay().file(file));
        assertTrue(e.getMessage().startsWith(file + message), e.getMessage());
    }

    @Test
    void integersBeyond64BitsAreRefusedLikeTheDriverRefusesThem() throws IOException {
        JsonNode row = new ObjectMapper().readTree("{\"mode\":\"tile\",\"dtype\":0,\"address\":18446744073709551600,"
                + "\"dim\":[18446744073709551616],\"stride\":[],\"box\":[-99999999999999999999],\"elementStride\":[1],"
                + "\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}");
        EncodeCall call = EncodeReplay.call(row);
        assertEquals(-16, call.address());
        assertEquals(List.of("address-range", "dim-range", "box-range"),
                Validation.of(call, Target.SM_90).errors().stream().map(v -> v.rule().id()).toList());
    }
}
