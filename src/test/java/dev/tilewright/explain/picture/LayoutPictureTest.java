package dev.tilewright.explain.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who holds what, in a picture, against the tables of the PTX ISA. */
class LayoutPictureTest {
    private static final Pattern BOX = Pattern.compile(
            "<title>row (\\d+), column (\\d+): thread (\\d+), register (\\d+)(?:, and (\\d+) on)?</title>");

    /** An element as the picture shows it. */
    private record Shown(int row, int column, int thread, int register) {
    }

    private static List<Shown> shown(LayoutPicture picture) {
        return BOX.matcher(picture.drawing().toString()).results().flatMap(box -> IntStream.rangeClosed(0,
                box.group(5) == null ? 0 : Integer.parseInt(box.group(5))).mapToObj(i -> new Shown(
                Integer.parseInt(box.group(1)), Integer.parseInt(box.group(2)) + i, Integer.parseInt(box.group(3)),
                Integer.parseInt(box.group(4)) + i))).toList();
    }

    /** The sums of mma.m16n8: "row = groupID for c0, c1, groupID + 8 for c2, c3; col = threadID_in_group * 2 + i". */
    @Test
    void theSumsOfMma() {
        LayoutPicture picture = new LayoutPicture("sums", List.of(4, 3), List.of(List.of(0, 1), List.of(8, 0)),
                List.of(List.of(0, 2), List.of(0, 4), List.of(1, 0), List.of(2, 0), List.of(4, 0)));
        List<Shown> elements = shown(picture);
        assertEquals(16 * 8, elements.size());
        for (Shown element : elements) {
            assertEquals(element.row % 8 * 4 + element.column / 2, element.thread, element::toString);
            assertEquals(element.row / 8 * 2 + element.column % 2, element.register, element::toString);
        }
        String text = text(picture);
        assertTrue(text.contains("A register's number: +1 is 1 column on, +2 is 8 rows on."), text);
        assertTrue(text.contains("A thread's number: +1 is 2 columns on, +2 is 4 columns on, +4 is 1 row on, +8 is 2"
                + " rows on, +16 is 4 rows on."), text);
    }

    /** One axis is folded; the first of several that hold an element is shown. */
    @Test
    void aRow() {
        LayoutPicture picture = new LayoutPicture("row", List.of(6), List.of(List.of(1)), List.of(List.of(2),
                List.of(4), List.of(8), List.of(16), List.of(32), List.of(0)));
        List<Shown> elements = shown(picture);
        int columns = elements.stream().mapToInt(Shown::column).max().orElseThrow() + 1;
        for (Shown element : elements) {
            int at = element.row * columns + element.column;
            assertEquals(at / 2, element.thread, element::toString);
            assertEquals(at % 2, element.register, element::toString);
        }
        assertEquals(64, elements.size());
        assertTrue(text(picture).contains("+32 is the same place."), text(picture));
    }

    /** No word is wider than its box, and the picture says of how many elements it shows how many. */
    @Test
    void aLargeTile() {
        LayoutPicture picture = new LayoutPicture("large", List.of(7, 8), IntStream.range(0, 7).mapToObj(bit ->
                List.of(bit == 6 ? 64 : 0, bit == 6 ? 0 : 4 << bit)).toList(), IntStream.range(0, 8).mapToObj(bit ->
                List.of(bit < 2 ? 0 : 1 << bit - 2, bit < 2 ? 1 << bit : 0)).toList());
        assertEquals(16 * 4, shown(picture).size());
        assertTrue(text(picture).contains("The first 16 x 4 of 128 x 256 elements."), text(picture));
    }

    private static String text(LayoutPicture picture) {
        return picture.drawing().toString().replaceAll("</text>\\n<text class=\"note\"[^>]*>", " ");
    }
}
