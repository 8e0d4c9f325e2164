package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.cli.tensormap.MapFields;
import dev.tilewright.cli.terminal.Json;
import dev.tilewright.recording.RandomEncodeCalls;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;

/** Whatever is piped in: an answer, or exit code 2 and one line that names the place. Never anything else. */
class TensorMapGarbageTest {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final List<String> VERBS = List.of("check", "encode", "decode");

    @Provide
    Arbitrary<JsonNode> anyJson() {
        Arbitrary<JsonNode> leaf = Arbitraries.oneOf(
                Arbitraries.of(true, false).map(JSON::booleanNode),
                Arbitraries.just(JSON.nullNode()),
                Arbitraries.longs().map(JSON::numberNode),
                Arbitraries.bigIntegers().between(BigInteger.TWO.pow(80).negate(), BigInteger.TWO.pow(80))
                .map(JSON::numberNode), Arbitraries.bigDecimals().map((BigDecimal d) -> JSON.numberNode(d)),
                Arbitraries.strings().ofMaxLength(20).map(JSON::textNode));
        return containing(containing(leaf));
    }

    private static Arbitrary<JsonNode> containing(Arbitrary<JsonNode> value) {
        return Arbitraries.oneOf(value, value, value.list().ofMaxSize(4).map(l -> JSON.arrayNode().addAll(l)),
                Arbitraries.maps(Arbitraries.strings().ofMaxLength(12), value).ofMaxSize(4).map(m -> {
                    ObjectNode object = JSON.objectNode();
                    m.forEach(object::set);
                    return object;
                }));
    }

    @Property(tries = 50)
    void anyTextIsRefusedInOneLine(@ForAll @NotEmpty String text, @ForAll @IntRange(max = 2) int verb) {
        String line = text.replaceAll("[\\n\\r]", "");
        if (line.isBlank() || line.equals("\uFEFF")) {
            return;
        }
        String refusal = PipedCommand.run(line, "tensormap", VERBS.get(verb)).refusal();
        assertTrue(refusal.startsWith("tilewright: line 1: "), refusal);
    }

    @Property(tries = 50)
    void anyBytesAreRefusedInOneLine(@ForAll @Size(min = 1, max = 300) byte[] bytes,
            @ForAll @IntRange(max = 2) int verb) {
        PipedCommand result = PipedCommand.run(bytes, "tensormap", VERBS.get(verb));
        // Nothing but blanks and line ends is no line at all.
        if (result.code() != 0) {
            assertTrue(result.refusal().startsWith("tilewright: line "), result.err());
        }
    }

    @Property(tries = 50, edgeCases = EdgeCasesMode.NONE)
    void anyJsonIsRefusedInOneLine(@ForAll("anyJson") JsonNode json) {
        String refusal = PipedCommand.run(json.toString(), "tensormap", "check").refusal();
        assertTrue(refusal.startsWith("tilewright: line 1: "), refusal);
    }

    /** One field of a good description replaced: it is an answer, or the line and the field are named. */
    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void anyValueOfAFieldIsAnsweredOrNamed(@ForAll long seed, @ForAll("anyJson") JsonNode value,
            @ForAll @IntRange(max = 20) int which)
            throws Exception {
        ObjectNode good = (ObjectNode) new ObjectMapper().readTree(
                Json.line(MapFields.of(new RandomEncodeCalls(seed).next())));
        List<String> names = new ArrayList<>();
        good.fieldNames().forEachRemaining(names::add);
        String name = names.get(which % names.size());
        good.set(name, value);
        PipedCommand result = PipedCommand.run(good.toString(), "tensormap", "check");
        if (result.code() == 2) {
            assertTrue(result.refusal().startsWith("tilewright: line 1: field '" + name)
                    // Another number of dimensions than the rank says.
                    || name.equals("dim") && result.err().startsWith("tilewright: line 1: field 'rank'")
                    // Another mode has other fields.
                    || name.equals("mode") && result.err().startsWith("tilewright: line 1: unknown field '"),
                            result.err());
        } else {
            assertEquals(result.lines().getLast(), "checked 1 valid " + (1 - result.code()) + " invalid "
                    + result.code());
            PipedCommand encoded = PipedCommand.run(good.toString(), "tensormap", "encode");
            assertEquals(result.code(), encoded.code());
            assertEquals(result.code() == 0 ? 257 : 1, encoded.out().length());
        }
    }

    /** And one left out. */
    @Property(tries = 30, edgeCases = EdgeCasesMode.NONE)
    void aMissingFieldIsNamedOrHasADefault(@ForAll long seed, @ForAll @IntRange(max = 20) int which) throws Exception {
        ObjectNode good = (ObjectNode) new ObjectMapper().readTree(
                Json.line(MapFields.of(new RandomEncodeCalls(seed).next())));
        List<String> names = new ArrayList<>();
        good.fieldNames().forEachRemaining(names::add);
        String name = names.get(which % names.size());
        good.remove(name);
        PipedCommand result = PipedCommand.run(good.toString(), "tensormap", "check");
        if (List.of("rank", "address", "stride", "elementStride", "interleave", "swizzle", "l2", "oob")
                .contains(name)) {
            assertTrue(result.code() < 2, result.err());
        } else {
            assertEquals("tilewright: line 1: field '" + name + "' is missing", result.refusal());
        }
    }

    @Property(tries = 50, edgeCases = EdgeCasesMode.NONE)
    void any128BytesAreDescribedOrRefused(@ForAll @Size(128) byte[] bytes) {
        // Words that have to be a map's for it to be one: kind, rank, format, interleave.
        bytes[8] = (byte) (bytes[8] & 0xBF);
        bytes[9] = (byte) (bytes[9] & 0xF1);
        String hex = HexFormat.of().formatHex(bytes);
        PipedCommand result = PipedCommand.run(hex, "tensormap", "decode");
        if (result.code() == 0) {
            assertTrue(result.lines().getLast().startsWith("json             {"), result.out());
        } else {
            assertTrue(result.refusal().startsWith("tilewright: line 1: these bytes are no tensor map of sm_90: "),
                    result.err());
        }
    }

    @Example
    void depthAndLengthHaveLimits() {
        for (String json : List.of("[".repeat(100_000), "{\"a\":".repeat(50_000), "9".repeat(100_000),
                "{\"" + "a".repeat(60_000) + "\":1}")) {
            String refusal = PipedCommand.run(json, "tensormap", "check").refusal();
            assertTrue(refusal.startsWith("tilewright: line 1: ") && refusal.length() < 500, refusal);
        }
    }
}
