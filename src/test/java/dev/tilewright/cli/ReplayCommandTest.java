package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code replay}, as it is called. */
class ReplayCommandTest {
    private static final String HEX = "0010000000000000" + "0000000000000000" + "00".repeat(16) + "3f" + "00".repeat(22)
            + "0f"
            + "00".repeat(8) + "10" + "00".repeat(7) + "10" + "00".repeat(55);
    private static final String GOOD =
            "{\"kind\":\"encode\",\"mode\":\"tile\",\"dtype\":0,\"rank\":1,\"address\":4096,\"dim\":[64],"
            + "\"stride\":[],\"box\":[16],\"elementStride\":[1],\"interleave\":0,\"swizzle\":0,"
            + "\"l2\":0,\"oob\":0,\"result\":0,"
            + "\"map\":\"" + HEX + "\"}";
    private static final String WRONG = GOOD.replace("\"0010", "\"0011");
    private static final String DANCE = "{\"kind\":\"dance\",\"mode\":\"tile\"}";

    @TempDir
    Path folder;

    @Test
    void aLineEachKindAndTheSum() throws IOException {
        Path plain = Files.writeString(folder.resolve("a.jsonl"), GOOD + "\n\n" + DANCE + "\n");
        Path gzip = folder.resolve("b");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(gzip))) {
            out.write((GOOD + "\n" + GOOD).getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(new PipedCommand(0, """
                dance tile         skipped 1: no such kind is known
                encode tile        replayed 3 agreed 3 disagreed 0
                replayed 3 agreed 3 disagreed 0
                """, ""), PipedCommand.run("", "replay", plain.toString(), gzip.toString()));
    }

    @Test
    void disagreementsAreNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("a.jsonl"),
                GOOD + "\n" + WRONG + "\n" + GOOD.replace("\"result\":0", "\"result\":1"));
        assertEquals(new PipedCommand(1, """
                encode tile        replayed 3 agreed 1 disagreed 2
                %s:2: first differing byte 0x01: the driver has 11, pure Java 10
                %s:3: refused by the driver, accepted by pure Java
                replayed 3 agreed 1 disagreed 2
                """.formatted(file, file), ""), PipedCommand.run("", "replay", file.toString()));
    }

    @Test
    void twentyAreShown() throws IOException {
        Path file = Files.writeString(folder.resolve("a.jsonl"), String.join("\n", Collections.nCopies(25, WRONG)));
        PipedCommand result = PipedCommand.run("", "replay", file.toString());
        assertEquals(1, result.code());
        assertEquals(23, result.lines().size());
        assertEquals(file + ":20: first differing byte 0x01: the driver has 11, pure Java 10", result.lines().get(20));
        assertEquals(List.of("and 5 more", "replayed 25 agreed 0 disagreed 25"), result.lines().subList(21, 23));
    }

    @Test
    void asJson() throws IOException {
        Path file = Files.writeString(folder.resolve("a.jsonl"), GOOD + "\n" + WRONG + "\n" + DANCE);
        PipedCommand result = PipedCommand.run("", "replay", "--json", file.toString());
        assertEquals(1, result.code());
        JsonNode document = new ObjectMapper().readTree(result.out());
        assertEquals(new ObjectMapper().readTree("""
                {"kinds":{"encode tile":{"replayed":2,"agreed":1,"disagreed":1,"skipped":0},
                    "dance tile":{"replayed":0,"agreed":0,"disagreed":0,"skipped":1}},
                 "replayed":2,"agreed":1,"disagreed":1,"skipped":1,
                 "disagreements":[{"place":"%s:2","kind":"encode tile","what":"first differing byte 0x01: the driver \
                has 11, pure Java 10"}]}
                """.formatted(file)), document);
    }

    @Test
    void whatCannotBeReadIsOneSentence() throws IOException {
        Path missing = folder.resolve("missing");
        assertEquals("tilewright: cannot read the recording " + missing + ": there is no such file",
                PipedCommand.run("", "replay", missing.toString()).refusal());
        Path bad = Files.writeString(folder.resolve("bad"), GOOD + "\n{\"kind\":\n");
        assertTrue(PipedCommand.run("", "replay", bad.toString()).refusal().startsWith("tilewright: " + bad
                + ":2: the JSON ends too early: "));
        Path field = Files.writeString(folder.resolve("field"), GOOD.replace("[16]", "[\"16\"]"));
        assertEquals("tilewright: " + field + ":1: field 'box[0]' must be an integer, got \"16\"",
                PipedCommand.run("", "replay", field.toString()).refusal());
        Path cut = folder.resolve("cut.gz");
        Files.write(cut, new byte[] {0x1F, (byte) 0x8B, 8, 0, 0});
        assertEquals("tilewright: cannot read the recording " + cut + ": its gzip data ends too early",
                PipedCommand.run("", "replay", cut.toString()).refusal());
        assertEquals("tilewright: Missing required parameter: 'FILE' (see 'tilewright replay --help')",
                PipedCommand.run("", "replay").refusal());
    }
}
