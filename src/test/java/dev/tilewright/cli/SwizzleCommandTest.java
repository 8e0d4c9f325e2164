package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.recording.Fnv;
import dev.tilewright.recording.RecordingsWindow;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** {@code swizzle}: where elements lie. */
class SwizzleCommandTest {

    private static PipedCommand command(String line) {
        return PipedCommand.run("", ("swizzle " + line).split(" "));
    }

    private static List<List<String>> rows(String line) {
        PipedCommand command = command(line);
        assertEquals(0, command.code(), command.err());
        return command.lines().stream().map(l -> Arrays.asList(l.strip().split(" +"))).toList();
    }

    @Test
    void chunksOf16BytesChangePlacesByTheRow() {
        List<List<String>> rows = rows("--mode 128B --type float32 --box 16x32");
        assertEquals(16, rows.size());
        for (int r = 0; r < 16; r++) {
            for (int place = 0; place < 32; place++) {
                // The PTX ISA: bits 4 to 6 of an address are XORed with bits 7 to 9.
                assertEquals(Integer.toString((place / 4 ^ r % 8) * 4 + place % 4), rows.get(r).get(place));
            }
        }
    }

    @Test
    void theNarrowModesShareALine() {
        assertEquals(List.of(" 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15",
                " 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15",
                " 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15",
                " 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15",
                " 8  9 10 11 12 13 14 15  0  1  2  3  4  5  6  7"),
                command("--mode 32b --type f16 --box 5x16").lines());
    }

    @Test
    void rowsThatAreShorterThanTheSpanLeaveGaps() {
        assertEquals(List.of("0 1 . . . . . .", "0 1 . . . . . .", ". . 0 1 . . . .", ". . 0 1 . . . ."),
                command("--mode 2 --type f64 --box 2x2x2").lines());
    }

    @Test
    void withoutASwizzleRowsFollowEachOther() {
        assertEquals(List.of("0 1 2 3 4 5 6 7", "0 1 2 3 4 5 6 7"), command("--mode none --box 2x8").lines());
        assertEquals(List.of("0 1 2 3"), command("--mode NONE --box 4").lines());
    }

    @ParameterizedTest
    @CsvSource({"128B_ATOM_32B, 1, 32", "128b_atom_64b, 1, 64", "128B_ATOM_32B_FLIP_8B, 1, 40"})
    void largerAtoms(String mode, int row, int first) {
        List<List<String>> rows = rows("--mode " + mode + " --type u8 --box 2x128");
        assertEquals(IntStream.range(0, 128).mapToObj(Integer::toString).toList(), rows.getFirst());
        assertEquals(Integer.toString(first), rows.get(row).getFirst());
        assertEquals(new HashSet<>(rows.getFirst()), new HashSet<>(rows.get(row)));
    }

    @Test
    void picturesHaveEveryCell() throws Exception {
        String svg = command("--mode 64B --box 3x8 --format svg").out();
        var document = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new InputSource(new StringReader(svg)));
        var boxes = document.getElementsByTagName("rect");
        // The first is the page; 64 bytes of memory are 4 cells, of which a row fills two.
        assertEquals(1 + 3 * 4, boxes.getLength());
        Set<String> colours = new HashSet<>();
        for (int i = 1; i <= 4; i++) {
            colours.add(((Element) boxes.item(i)).getAttribute("class"));
        }
        assertEquals(3, colours.size(), "two chunks and gaps");
        assertTrue(svg.contains("<title>row 2, columns 4-7: from bank 0</title>"), svg);
        String html = command("--mode 64B --box 3x8 --format HTML").out();
        assertTrue(html.startsWith("<!doctype html>") && html.contains("<title>A box of 3x8 f32, swizzle 64B</title>")
                && html.contains(svg), html);
    }

    /** The tables of the tutorials: a matrix of floats whose elements are their columns, as PTX ISA draws them. */
    @ParameterizedTest
    @CsvSource({"32B, 8, 2, 4", "64B, 16, 4, 2", "128B, 32, 8, 1"})
    void floatsThatAreTheirColumns(String mode, int columns, int chunks, int rowsOfALine) {
        List<List<String>> rows = rows("--mode " + mode + " --box 16x" + columns);
        for (int r = 0; r < 16; r++) {
            int row = r;
            assertEquals(IntStream.range(0, columns).mapToObj(place -> Integer.toString(
                    (place / 4 ^ row / rowsOfALine % chunks) * 4 + place % 4)).toList(), rows.get(r));
        }
    }

    /** Loads that an H200 made: the bytes of the matrix, put where the text says, have the hash that was recorded. */
    @Test
    void isWhatHardwareLeft() throws IOException {
        String[] types = {"u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16"};
        Map<Integer, byte[]> windows = new HashMap<>();
        Set<String> modes = new HashSet<>();
        int held = 0;
        for (String file : List.of("tile-load", "sm_90/load")) {
            for (JsonNode row : recorded(file)) {
                if (!row.path("mode").asText().equals("tile") || row.path("box").size() != 2
                        || row.get("interleave").asInt() != 0 || row.get("swizzle").asInt() == 0
                        || row.get("dtype").asInt() >= types.length || row.get("oob").asInt() != 0
                        || !row.get("elementStride").toString().equals("[1,1]")) {
                    continue;
                }
                int width = row.at("/box/0").asInt();
                byte[] window = windows.computeIfAbsent(row.get("seed").asInt(), seed ->
                        RecordingsWindow.bytes(seed, RecordingsWindow.BYTES));
                List<List<String>> text = rows("--mode " + row.get("swizzle").asInt() + " --type "
                        + types[row.get("dtype").asInt()] + " --box " + row.at("/box/1").asInt() + "x" + width);
                byte[] shared = new byte[row.get("smem").asInt()];
                Arrays.fill(shared, (byte) 0xCD);
                fill(shared, text, window, row);
                assertEquals(row.get("fnv").asText(), Fnv.text(shared), row::toString);
                modes.add(row.get("swizzle").asText());
                held++;
            }
        }
        assertTrue(held > 50 && modes.size() == 3, held + " recordings of " + modes);
    }

    private static void fill(byte[] shared, List<List<String>> text, byte[] window, JsonNode row) {
        int places = text.getFirst().size();
        int bytes = Swizzle.values()[row.get("swizzle").asInt()].span() / places;
        for (int r = 0; r < text.size(); r++) {
            for (int place = 0; place < places; place++) {
                if (text.get(r).get(place).equals(".")) {
                    continue;
                }
                long x = row.at("/coord/0").asLong() + Integer.parseInt(text.get(r).get(place));
                long y = row.at("/coord/1").asLong() + r;
                boolean inside = x >= 0 && x < row.at("/dim/0").asLong() && y >= 0 && y < row.at("/dim/1").asLong();
                for (int b = 0; b < bytes; b++) {
                    shared[(r * places + place) * bytes + b] = inside ? window[(int) (row.get("address").asLong()
                            + y * row.at("/stride/0").asLong() + x * bytes + b)] : 0;
                }
            }
        }
    }

    private static List<JsonNode> recorded(String file) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(
                Path.of(System.getProperty("tilewright.root", "."), "native-tests/recordings", file + ".jsonl.gz"))),
                StandardCharsets.UTF_8))) {
            ObjectMapper json = new ObjectMapper();
            List<JsonNode> rows = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                rows.add(json.readTree(line));
            }
            return rows;
        }
    }

    /** Conflicts as they are known: a column of unswizzled rows of 128 bytes meets one bank, ldmatrix 8 times. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "none --box 32x32 | a row, 32 elements: 1 wavefront, ideal 1, without a swizzle 1"
            + " | a column, 32 elements: 32 wavefronts, ideal 1, without a swizzle 32"
            + " | a matrix of 8 rows of 16 bytes: 8 wavefronts, ideal 1, without a swizzle 8",
        "128B --box 32x32 | a row, 32 elements: 1 wavefront, ideal 1, without a swizzle 1"
            + " | a column, 32 elements: 4 wavefronts, ideal 1, without a swizzle 32"
            + " | a matrix of 8 rows of 16 bytes: 1 wavefront, ideal 1, without a swizzle 8",
        "64B --box 16x16 | a row, 16 elements: 1 wavefront, ideal 1, without a swizzle 1"
            + " | a column, 16 elements: 2 wavefronts, ideal 1, without a swizzle 8"
            + " | a matrix of 8 rows of 16 bytes: 1 wavefront, ideal 1, without a swizzle 4",
        "32B --box 16x8 | a row, 8 elements: 1 wavefront, ideal 1, without a swizzle 1"
            + " | a column, 16 elements: 2 wavefronts, ideal 1, without a swizzle 4"
            + " | a matrix of 8 rows of 16 bytes: 1 wavefront, ideal 1, without a swizzle 2"})
    void conflicts(String box, String row, String column, String matrix) {
        String svg = command("--mode " + box + " --format svg").out()
                .replaceAll("</text>\\n<text class=\"note\"[^>]*>", " ");
        assertTrue(svg.contains(row + " " + column + " " + matrix + "</text>"), svg.substring(svg.length() - 500));
    }

    /** The picture's cells, taken apart, are the rows that the text prints: in all modes, of all sizes of elements. */
    @ParameterizedTest
    @ValueSource(strings = {"--mode none --box 16x32", "--mode none --box 9x64 --type f16", "--mode 32B --box 16x8",
        "--mode 64B --box 16x64 --type u8", "--mode 128B --box 16x32", "--mode 128B --box 16x16 --type f64",
        "--mode 128B --box 8x128 --type u8", "--mode 64B --box 3x8", "--mode 128B_ATOM_32B --box 16x32",
        "--mode 128B_ATOM_32B_FLIP_8B --box 16x32", "--mode 128B_ATOM_64B --box 16x32"})
    void thePictureIsTheText(String options) {
        List<List<String>> cells = new ArrayList<>();
        Matcher box = Pattern.compile("<title>(?:row (\\d+), columns? (\\d+)(?:-(\\d+))?: from bank|a gap)")
                .matcher(command(options + " --format svg").out());
        while (box.find()) {
            if (box.group(1) != null) {
                int row = Integer.parseInt(box.group(1));
                while (cells.size() <= row) {
                    cells.add(new ArrayList<>());
                }
                int first = Integer.parseInt(box.group(2));
                int last = box.group(3) == null ? first : Integer.parseInt(box.group(3));
                IntStream.rangeClosed(first, last).mapToObj(Integer::toString).forEach(cells.get(row)::add);
            }
        }
        assertEquals(rows(options).stream().map(row -> row.stream().filter(c -> !c.equals(".")).toList()).toList(),
                cells);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--mode 96B --box 4x4 | --mode must be one of none (0), 32B (1), 64B (2), 128B (3), 128B_ATOM_32B (4), "
            + "128B_ATOM_32B_FLIP_8B (5), 128B_ATOM_64B (6), got '96B'",
        "--mode 99 --box 4x4 | --mode must be one of none (0), 32B (1), 64B (2), 128B (3), 128B_ATOM_32B (4), "
            + "128B_ATOM_32B_FLIP_8B (5), 128B_ATOM_64B (6), got '99'",
        "--mode 32B --box 4by4 | --box must be 1 to 5 extents, outermost first, such as 16x32, got '4by4'",
        "--mode 32B --box 4x4 --type f33 | unknown element type 'f33'"})
    void whatIsRefused(String options, String message) {
        assertTrue(command(options).refusal().startsWith("tilewright: " + message), command(options).refusal());
    }

    @Test
    void boxesThatTensorMapsDoNotAllow() {
        PipedCommand wide = command("--mode 32B --box 300x16");
        assertEquals(2, wide.code());
        assertEquals("", wide.out());
        assertTrue(wide.err().contains("2 errors for sm_90 (indices count from the innermost dimension)"),
                wide.err());
        assertTrue(command("--mode none --box 3x3").err().contains("1 error for sm_90"));
    }
}
