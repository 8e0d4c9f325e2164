package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code replay} takes rows as they were recorded, or says by file, line and field why it does not. */
class ReplayStrictnessTest {
    private static final Path RECORDINGS = Path.of(System.getProperty("tilewright.root", "."),
            "native-tests/recordings");

    @TempDir
    Path folder;

    private static String first(String recording) {
        return rows(recording).getFirst();
    }

    private static List<String> rows(String recording) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(RECORDINGS.resolve(recording + ".jsonl.gz"))),
                StandardCharsets.UTF_8))) {
            return in.lines().filter(line -> !line.startsWith("{\"kind\":\"recording\"")).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private PipedCommand replay(String content) throws IOException {
        return PipedCommand.run("", "replay", Files.writeString(folder.resolve("rows.jsonl"), content).toString());
    }

    /** What is between the first and the second text becomes the third. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tile-load | \"stride\":[ | ] | \"stride\":\"x\" | field 'stride' must be a list of integers, got \"x\"",
        "tile-load | \"stride\":[ | ] | \"stride\":[[16]] | field 'stride[0]' must be an integer, got [16]",
        "tile-load | \"dim\":[ | ] | \"dim\":{} | field 'dim' must be a list of integers, got {}",
        "tile-load | \"mode\":\" | \" | \"mode\":7 | field 'mode' must be a string, got 7",
        "tile-load | \"mode\":\" | \" | \"mode\":\"tiles\" | field 'mode' must be tile or im2col, got 'tiles'",
        "tile-load | \"seed\": | , | \"seed\":\"1\", | field 'seed' must be an integer, got \"1\"",
        "tile-load | \"seed\": | , | \"seed\":1.0, | field 'seed' must be an integer, got 1.0",
        "tile-load | \"seed\": | , | \"seed\":1e999999999, | field 'seed' must be an integer, got 1E+999999999",
        "tile-load | \"seed\": | , | \"seed\":true, | field 'seed' must be an integer, got true",
        "tile-load | \"seed\": | , | \"seed\":null, | field 'seed' must be an integer, got null",
        "tile-load | \"seed\": | , | \"seed\":36893488147419103232, | field 'seed' must fit in 64 bits with the sign, "
        + "got 36893488147419103232", "tile-load | \"seed\": | , | '' | field 'seed' is missing",
        "tile-load | \"seed\": | , | \"sed\":1, | unknown field 'sed': did you mean 'seed'?",
        "tile-load | \"rank\": | , | \"rank\":3, | field 'rank' must be the number of dimensions in 'dim', which is 4, "
        + "got 3", "tile-load | \"fnv\":\" | \" | \"fnv\":\"+1\" | field 'fnv' must be a 64-bit number in hexadecimal "
        + "digits, got \"+1\"", "tile-load | \"fnv\":\" | \" | \"fnv\":12 | field 'fnv' must be a string, got 12",
        "encode | \"map\":\" | \" | \"map\":\"0g\" | field 'map' must be pairs of hexadecimal digits, got \"0g\"",
        "encode | \"dim\":[ | ] | \"dim\":[\"64\"] | field 'dim[0]' must be an integer, got \"64\"",
        "store-reduce | \"op\":\" | \" | \"op\":[] | field 'op' must be a string, got []",
        "reduce | \"type\":\" | \" | \"type\":\"b32\",\"size\":4 | unknown field 'size'",
        "reduce | \"old\":\" | \" | \"old\":5 | field 'old' must be a string, got 5"})
    void fieldsAreOfTheirKind(String recording, String from, String to, String replacement, String message)
    throws IOException {
        String row = first(recording);
        int start = row.indexOf(from);
        String changed = row.substring(0, start) + replacement
                + row.substring(row.indexOf(to, start + from.length()) + to.length());
        String refusal = replay(row + "\n" + changed).refusal();
        assertTrue(refusal.startsWith("tilewright: " + folder.resolve("rows.jsonl") + ":2: " + message), refusal);
    }

    @Test
    void aLineIsOneObject() throws IOException {
        String row = first("encode");
        Path file = folder.resolve("rows.jsonl");
        assertTrue(replay(row.replaceFirst("\\{", "{\"dtype\":0,")).refusal()
                .matches("tilewright: \\Q" + file + "\\E:1: not JSON, column \\d+: Duplicate field 'dtype'"));
        assertTrue(replay(row + " {}").refusal().matches("tilewright: \\Q" + file
                + "\\E:1: not JSON, column \\d+: something follows the object"));
        assertTrue(replay(row + " x").refusal().startsWith("tilewright: " + file + ":1: not JSON, column "));
        assertEquals("tilewright: " + file + ":1: a row is a JSON object, got [1]", replay("[1]").refusal());
        String deep = replay("{\"kind\":\"dance\",\"a\":" + "[".repeat(5000) + "]".repeat(5000) + "}").refusal();
        assertTrue(deep.startsWith("tilewright: " + file + ":1: not JSON, column "), deep);
        assertTrue(replay(row.replace("\"rank\":", "\"rank\":" + "9".repeat(5000))).refusal()
                .startsWith("tilewright: " + file + ":1: field 'rank' must fit in 64 bits, got 999"));
    }

    @Test
    void aFileOfWhichNothingIsReplayedIsRefused() throws IOException {
        Path file = folder.resolve("rows.jsonl");
        assertEquals("tilewright: no row of " + file + " can be replayed: it has none", replay("").refusal());
        assertEquals("tilewright: no row of " + file + " can be replayed: it has none", replay("\n \n").refusal());
        assertEquals("tilewright: no row of " + file + " can be replayed: kinds that are not known: dance, jump high",
                replay("{\"kind\":\"dance\"}\n{\"kind\":\"jump\",\"mode\":\"high\",\"steps\":[" + "1,".repeat(99)
                + "1]}").refusal());
        PipedCommand mixed = replay(first("encode") + "\n{\"kind\":\"dance\"}");
        assertEquals(0, mixed.code(), mixed.err());
    }

    /**
     * What a load came to: each number that a row has of it is held against the reference, in rows drawn from each
     * recording.
     */
    @Test
    void everyOutcomeOfALoadCounts() throws IOException {
        Random random = new Random(25);
        for (String recording : List.of("tile-load", "im2col-load", "interleave-load", "sm_90/load")) {
            List<String> rows = rows(recording);
            for (String field : List.of("tx", "complete", "written", "fnv", "bytes")) {
                Pattern set = Pattern.compile("\"" + field + "\":\"?[0-9a-f]");
                List<String> with = rows.stream().filter(row -> set.matcher(row).find()).toList();
                // Rows with interleave have neither tx nor complete, and those of the older recordings no bytes where
                // they are many.
                assertTrue(!with.isEmpty() || recording.startsWith("interleave") || field.equals("bytes"),
                        recording + " has no " + field);
                for (int i = 0; i < Math.min(Thorough.of(2, 8), with.size()); i++) {
                    String row = with.get(random.nextInt(with.size()));
                    String altered = Pattern.compile("(\"" + field + "\":\"?)(.)").matcher(row)
                            .replaceFirst(m -> m.group(1)
                            + "123456789".replace(m.group(2), "").charAt(random.nextInt(8)));
                    PipedCommand result = replay(altered);
                    assertEquals(1, result.code(), field + ": " + result + " of " + altered);
                    assertTrue(result.lines().getLast().equals("replayed 1 agreed 0 disagreed 1"), result.out());
                    assertEquals(0, replay(row).code(), row);
                }
            }
        }
    }

    /** Numbers at the ends of what 64 bits hold: the row is judged, or refused by file and line. */
    @Test
    void extremeNumbersAreAnswered() throws IOException {
        Path file = folder.resolve("rows.jsonl");
        Predicate<Object> share = Thorough.share(6);
        for (String recording : new String[] {"tile-load", "im2col-load", "interleave-load", "store-reduce",
                "encode"}) {
            String row = first(recording);
            for (String field : new String[] {"dtype", "address", "dim", "stride", "box", "lower", "upper", "channels",
                    "pixels",
                "elementStride", "interleave", "swizzle", "l2", "oob", "coord", "offset", "seed", "tx", "smem",
                "smemSeed", "changed"}) {
                for (String number : new String[] {"9223372036854775807", "-9223372036854775808",
                        "18446744073709551615", "2147483647",
                    "-2147483648", "4294967296", "-1", "0"}) {
                    String changed = row.replaceAll("\"" + field + "\":\\[-?\\d+", "\"" + field + "\":[" + number)
                            .replaceAll("\"" + field + "\":-?\\d+", "\"" + field + "\":" + number);
                    // A row without the field stays as it is; of the others some, all in a thorough run.
                    if (changed.equals(row) || !share.test(changed)) {
                        continue;
                    }
                    PipedCommand result = replay(changed);
                    assertFalse(result.toString().contains("Exception") || result.toString().contains("java."),
                            result::toString);
                    if (result.code() == 2) {
                        assertTrue(result.refusal().startsWith("tilewright: " + file + ":1: "), result.err());
                    } else {
                        assertTrue(result.code() < 2 && result.err().isEmpty(), result::toString);
                    }
                }
            }
        }
    }
}
