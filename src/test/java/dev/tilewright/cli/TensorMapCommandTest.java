package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.Thorough;
import dev.tilewright.cli.tensormap.MapDescription;
import dev.tilewright.cli.tensormap.TensorMapEncodeCommand;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tensormap.Validation;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tensormap check}, {@code encode} and {@code decode}, as they are called. */
class TensorMapCommandTest {
    private static final String SHORT =
            "{\"mode\":\"tile\",\"dtype\":\"float32\",\"dim\":[4096,1024],\"box\":[32,64],\"swizzle\":\"128B\"}";
    private static final String FULL = "{\"mode\":\"tile\",\"dtype\":7,\"rank\":2,\"address\":4096,\"dim\":[4096,1024],"
            + "\"stride\":[16384],\"box\":[32,64],\"elementStride\":[1,"
            + "1],\"interleave\":0,\"swizzle\":3,\"l2\":0,\"oob\":0}";
    private static final String WRONG = "{\"mode\":\"tile\",\"dtype\":7,\"address\":4104,\"dim\":[101,60],\"box\":[32,"
            + "300]}";
    private static final String WRONG_REPORT = """
            3 errors and 2 warnings for sm_90 (indices count from the innermost dimension)
              error: address is 0x1008 and must be a multiple of 16: start at 0x1000 with the box's coordinates \
            shifted, or \
            copy the tensor to an aligned allocation (address-aligned)
              error: stride[0] is 404 and must be a multiple of 16 bytes: pad it to 416 bytes (stride-aligned)
              error: box[1] is 300 and must be in [1, 256]: use 256 and cover the rest with more copies (box-range)
              warning: box[1] is 300 and should be at most dim[1] = 60: use a smaller box; the part outside moves fill \
            (box-beyond-tensor)
              warning: dim[0] is 101 and should be a multiple of 4 elements if the map is stored through: keep the \
            bytes up to \
            the next multiple of 16 free; loads are not affected (store-clip)
            """;
    private static final TensorMapDescriptor BYTES = TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32,
            List.of(4096L, 1024L), List.of(32, 64), Swizzle.B128).encode(Target.SM_90, 4096);

    @TempDir
    Path folder;

    @Test
    void encodePrintsALineEach() {
        assertEquals(new PipedCommand(0, BYTES.hex() + "\n", ""), PipedCommand.run(FULL, "tensormap", "encode"));
        String nullAddress = "0".repeat(16) + BYTES.hex().substring(16);
        assertEquals(new PipedCommand(0, nullAddress + "\n" + BYTES.hex() + "\n", ""),
                PipedCommand.run("\uFEFF" + SHORT + "\r\n\r\n  " + FULL + " ", "tensormap", "encode", "--target",
                "sm_90a"));
    }

    @Test
    void everyRecordedRowIsEncodedAsTheDriverDid() throws Exception {
        String all;
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(
                Path.of(System.getProperty("tilewright.root", "."), "native-tests/recordings/encode.jsonl.gz")))) {
            all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        ObjectMapper json = new ObjectMapper();
        List<String> maps = new ArrayList<>();
        List<String> some = all.lines().filter(Thorough.share(8)).toList();
        for (String row : some) {
            maps.add(json.readTree(row).get("map").asText());
        }
        PipedCommand encoded = PipedCommand.run(String.join("\n", some), "tensormap", "encode");
        assertEquals(1, encoded.code());
        assertEquals(maps, encoded.lines());

        String accepted = maps.stream().filter(m -> !m.isEmpty()).collect(Collectors.joining("\n"));
        PipedCommand decoded = PipedCommand.run(accepted, "tensormap", "decode");
        assertEquals(0, decoded.code(), decoded.err());
        String descriptions = decoded.lines().stream().filter(l -> l.startsWith("json "))
                .map(l -> l.substring(5).strip())
                .collect(Collectors.joining("\n"));
        assertEquals(accepted + "\n", PipedCommand.run(descriptions, "tensormap", "encode").out());
    }

    @Test
    void encodeLeavesALineEmptyForWhatIsInvalid() {
        assertEquals(new PipedCommand(1, "\n" + BYTES.hex() + "\n", "tilewright: line 1: " + WRONG_REPORT),
                PipedCommand.run(WRONG + "\n" + FULL, "tensormap", "encode"));
    }

    @Test
    void aTargetWhoseLayoutIsNotKnownIsMissing() {
        assertEquals(
                new PipedCommand(3, "", "tilewright: how sm_100 lays out a tensor map is not known, and this command"
                + " encodes in Java only, for sm_90: on other GPUs, applications get the driver's encoder through "
                + "Gpu (see"
                + " -Dtilewright.encoder and class EncoderChoice)\n"),
                PipedCommand.run(SHORT, "tensormap", "encode", "--target", "sm_100"));
        assertEquals(
                new PipedCommand(3, "", "tilewright: how sm_120 lays out a tensor map is not known: only that of sm_90 "
                + "can be"
                + " decoded\n"), PipedCommand.run(BYTES.hex(), "tensormap", "decode", "--target", "sm_120"));
        PipedCommand early = PipedCommand.run(FULL, "tensormap", "encode", "--target", "sm_80");
        assertEquals(1, early.code());
        assertTrue(early.err()
                .contains("  error: target is sm_80 and must be sm_90 or later: use a copy that does without a"
                + " tensor map there (cp.async) (target-tma)\n"), early.err());
        assertEquals("tilewright: 'sm90' is not a target: write it as sm_80, sm_90 or sm_90a",
                PipedCommand.run("", "tensormap", "check", "--target", "sm90").refusal());
    }

    @Test
    void aTargetThatIsNotKnownIsRefused() {
        for (String verb : List.of("check", "encode", "decode")) {
            assertEquals("tilewright: --target sm_999 is not of a known compute capability: these are sm_80, "
                    + "sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_101, sm_103, sm_110, sm_120, sm_121; sm_90 and "
                    + "later are known with an a, too, as sm_90a, sm_100 and later with an f, as sm_100f",
                    PipedCommand.run(FULL, "tensormap", verb, "--target", "sm_999").refusal());
        }
    }

    @Test
    void helpSaysWhoEncodesForOtherGpus() {
        String help = PipedCommand.run("", "tensormap", "encode", "--help").out().replaceAll("\\s+", " ");
        assertTrue(help.contains("This command encodes in Java only, for sm_90: " + TensorMapEncodeCommand.ELSEWHERE
                + "."), help);
    }

    @Test
    void checkNamesEveryViolation() throws Exception {
        Path file = Files.writeString(folder.resolve("maps.json"), FULL + "\n\n" + WRONG + "\n");
        assertEquals(new PipedCommand(1, file + """
                , line 1: no error and 1 warning for sm_90 (indices count from the innermost dimension)
                  warning: swizzle is 3 (128B) and should be used with shared buffers aligned to 1024 bytes: align \
                each buffer \
                and each stage to 1024 (swizzle-base)
                """ + file + ", line 3: " + WRONG_REPORT + "checked 2 valid 1 invalid 1\n", ""),
                PipedCommand.run("", "tensormap", "check", "--spec", file.toString()));
        assertEquals(0, PipedCommand.run(FULL, "tensormap", "check", "--spec", "-").code());
        assertEquals(new PipedCommand(0, "checked 0 valid 0 invalid 0\n", ""),
                PipedCommand.run("\n \n", "tensormap", "check"));
    }

    @Test
    void checkSaysNothingOfAnAddressThatWasNotGiven() {
        String given = "{\"mode\":\"tile\",\"dtype\":\"float32\",\"dim\":[64,64],\"box\":[32,8]}";
        String result = PipedCommand.run(given, "tensormap", "check").out();
        assertEquals("line 1: no error for sm_90\nchecked 1 valid 1 invalid 0\n", result);
        String zero = given.replace("\"box\"", "\"address\":0,\"box\"");
        assertTrue(PipedCommand.run(zero, "tensormap", "check").out().contains("warning: address is null"));
    }

    @Test
    void checkAsJsonHasEachPartOfAViolation() throws Exception {
        PipedCommand result = PipedCommand.run(FULL + "\n" + WRONG, "tensormap", "check", "--json");
        assertEquals(1, result.code());
        JsonNode document = new ObjectMapper().readTree(result.out());
        assertEquals("sm_90", document.get("target").asText());
        assertEquals(List.of(1, 1), List.of(document.get("valid").asInt(), document.get("invalid").asInt()));
        JsonNode wrong = document.get("descriptions").get(1);
        assertEquals(2, wrong.get("line").asInt());
        assertEquals("{\"rule\":\"stride-aligned\",\"field\":\"stride\",\"index\":0,\"value\":\"404\","
                + "\"limit\":\"a multiple of 16 bytes\",\"suggestion\":\"pad it to 416 bytes\","
                + "\"source\":\"cuda.h, globalStrides\"}", wrong.get("errors").get(1).toString());
        assertEquals("null", wrong.get("errors").get(0).get("index").toString());
        assertEquals("true", document.get("descriptions").get(0).get("valid").toString());
    }

    @Test
    void decodeGivesTheDescriptionBack() throws Exception {
        PipedCommand text = PipedCommand.run(BYTES.hex() + "\n" + BYTES.hex().toUpperCase(java.util.Locale.ROOT),
                "tensormap", "decode");
        assertEquals(0, text.code(), text.err());
        int half = text.lines().size() / 2;
        assertEquals(text.lines().subList(0, half), text.lines().subList(half + 1, 2 * half + 1));
        assertEquals("kind             tile, 2 dimensions, lists below start with the innermost",
                text.lines().getFirst());
        assertEquals("json             " + FULL, text.lines().getLast());
        JsonNode document = new ObjectMapper().readTree(PipedCommand.run(BYTES.hex(), "tensormap", "decode", "--json")
                .out());
        assertEquals(FULL, document.get(0).get("description").toString());
        assertEquals(1, document.get(0).get("line").asInt());
        assertEquals("the target it was made for: read by sm_90's layout, later ones differ in places not published",
                document.get(0).get("unknowns").get(0).asText());
    }

    @Test
    void decodeRefusesWhatIsNoMap() {
        assertEquals("tilewright: line 1: a tensor map is 256 hexadecimal digits, got 3 characters",
                PipedCommand.run("abc", "tensormap", "decode").refusal());
        assertEquals("tilewright: line 2: a tensor map is 256 hexadecimal digits, got other characters among them",
                PipedCommand.run("\n" + "0g".repeat(128), "tensormap", "decode").refusal());
        assertEquals("tilewright: line 1: these bytes are no tensor map of sm_90: they have format 15 in bits 7-10 of "
                + "the word"
                + " at 0x08; sm_90 has 0 to 10", PipedCommand.run("0".repeat(16) + "8007" + "0".repeat(236),
                "tensormap", "decode",
                        "--json").refusal());
    }

    @Test
    void decodeDescribesABoxThatNoMemoryHolds() {
        // 1 / 4 rounds down to 0: the driver counts 0 bytes and accepts it.
        PipedCommand encoded = PipedCommand.run("{\"mode\":\"tile\",\"dtype\":3,\"dim\":[256,256,256,256,4],"
                + "\"box\":[256,256,256,256,1],\"elementStride\":[1,1,1,1,4]}", "tensormap", "encode");
        assertEquals(0, encoded.code(), encoded.err());
        PipedCommand decoded = PipedCommand.run(encoded.out(), "tensormap", "decode");
        assertEquals(0, decoded.code(), decoded.err());
        assertTrue(decoded.out()
                .contains("bytes per box    more than 2 GiB, which no shared memory holds; the driver counts"
                + " box / elementStride rounded down, and accepts it\n"), decoded.out());
    }

    @Test
    void linesBeforeABadOneAreDoneAndNoneAfter() {
        PipedCommand result = PipedCommand.run(FULL + "\n{\n" + FULL, "tensormap", "encode");
        assertEquals(new PipedCommand(2, BYTES.hex() + "\n",
                "tilewright: line 2: the JSON ends too early: write each description on one line\n"), result);
        assertEquals("tilewright: line 2: the JSON ends too early: write each description on one line",
                PipedCommand.run(FULL + "\n{\n" + FULL, "tensormap", "check", "--json").refusal());
    }

    @Test
    void filesThatCannotBeReadAreNamed() {
        Path missing = folder.resolve("missing");
        assertEquals("tilewright: cannot read " + missing + ": there is no such file",
                PipedCommand.run("", "tensormap", "check", "--spec", missing.toString()).refusal());
        assertEquals("tilewright: cannot read " + folder + ": Is a directory",
                PipedCommand.run("", "tensormap", "decode", "--spec", folder.toString()).refusal());
        assertEquals("tilewright: say what to do with tensor maps: check, encode, decode (see 'tilewright tensormap "
                + "--help')", PipedCommand.run("", "tensormap").refusal());
    }

    @Test
    void aRefusalIsABadRequestWhateverVerbItComesFrom() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(System.in, System.out, new PrintStream(err, true, StandardCharsets.UTF_8),
                false);
        TensorMapException refusal = assertThrows(TensorMapException.class,
                () -> Validation.of(MapDescription.read(WRONG), Target.SM_90).orThrow());
        assertEquals(2, Main.failed(refusal, false, terminal));
        assertEquals("tilewright: this tensor map cannot be encoded: " + WRONG_REPORT,
                err.toString(StandardCharsets.UTF_8));
    }
}
