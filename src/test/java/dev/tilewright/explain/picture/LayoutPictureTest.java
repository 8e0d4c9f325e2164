package dev.tilewright.explain.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Who holds what, in a picture, against the tables of the PTX ISA. */
class LayoutPictureTest {
    private static final Pattern BOX =
            Pattern.compile("<title>row (\\d+), column (\\d+): thread (\\d+), register (\\d+)");

    /** The sums of mma.m16n8: "row = groupID for c0, c1, groupID + 8 for c2, c3; col = threadID_in_group * 2 + i". */
    @Test
    void theSumsOfMma() {
        String svg = new LayoutPicture("sums", List.of(4, 3), List.of(List.of(0, 1), List.of(8, 0)),
                List.of(List.of(0, 2), List.of(0, 4), List.of(1, 0), List.of(2, 0), List.of(4, 0)))
                        .drawing().toString();
        List<MatchResult> boxes = BOX.matcher(svg).results().toList();
        assertEquals(16 * 8, boxes.size());
        for (MatchResult box : boxes) {
            int row = Integer.parseInt(box.group(1));
            int column = Integer.parseInt(box.group(2));
            assertEquals(row % 8 * 4 + column / 2, Integer.parseInt(box.group(3)), box.group());
            assertEquals(row / 8 * 2 + column % 2, Integer.parseInt(box.group(4)), box.group());
        }
    }

    /** One axis is folded; the first of several that hold an element is shown. */
    @Test
    void aRow() {
        String svg = new LayoutPicture("row", List.of(6), List.of(List.of(1)), List.of(List.of(2), List.of(4),
                List.of(8), List.of(16), List.of(32), List.of(0))).drawing().toString();
        for (MatchResult box : BOX.matcher(svg).results().toList()) {
            int at = Integer.parseInt(box.group(1)) * 32 + Integer.parseInt(box.group(2));
            assertEquals(at / 2, Integer.parseInt(box.group(3)), box.group());
            assertEquals(at % 2, Integer.parseInt(box.group(4)), box.group());
        }
        assertEquals(64, BOX.matcher(svg).results().count());
    }
}
