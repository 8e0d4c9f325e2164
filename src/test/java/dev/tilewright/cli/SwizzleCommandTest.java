package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        var texts = document.getElementsByTagName("text");
        assertEquals(3 * 16, texts.getLength());
        assertEquals("0 1 2 3 4 5 6 7 . . . . . . . .", IntStream.range(0, 16)
                .mapToObj(i -> texts.item(i).getTextContent()).collect(Collectors.joining(" ")));
        Set<String> colours = new HashSet<>();
        for (int i = 0; i < 16; i++) {
            colours.add(((org.w3c.dom.Element) document.getElementsByTagName("rect").item(i)).getAttribute("fill"));
        }
        assertEquals(3, colours.size(), "two chunks and gaps");
        String html = command("--mode 64B --box 3x8 --format HTML").out();
        assertTrue(html.startsWith("<!doctype html>") && html.contains("<title>A box of 3x8 f32, swizzle 64B</title>")
                && html.endsWith(svg), html);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--mode 96B --box 4x4 | --mode must be an integer or name of CUtensorMapSwizzle (none, 32B, 64B, 128B, "
            + "128B_ATOM_32B, 128B_ATOM_32B_FLIP_8B, 128B_ATOM_64B), got '96B'",
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
