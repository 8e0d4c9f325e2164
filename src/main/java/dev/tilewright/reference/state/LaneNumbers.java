package dev.tilewright.reference.state;

import dev.tilewright.program.Warp;
import java.util.ArrayList;
import java.util.List;

/** Lanes in words. */
public final class LaneNumbers {
    private LaneNumbers() { }

    /**
     * {@code lane 3}, {@code lanes 0 to 15}, {@code lanes 0, 2 and 4 to 7}. @param lanes a bit for each, at least one
     */
    public static String text(int lanes) {
        List<String> parts = new ArrayList<>();
        for (int first = 0; first < Warp.LANES; first++) {
            int last = first;
            while (has(lanes, last)) {
                last++;
            }
            if (last - first > 2) {
                parts.add(first + " to " + (last - 1));
            } else {
                for (int lane = first; lane < last; lane++) {
                    parts.add(String.valueOf(lane));
                }
            }
            first = last;
        }
        String text = parts.size() == 1 ? parts.getFirst()
                : String.join(", ", parts.subList(0, parts.size() - 1)) + " and " + parts.getLast();
        return (Integer.bitCount(lanes) == 1 ? "lane " : "lanes ") + text;
    }

    /** {@code 0x0000FFFF}. */
    public static String mask(int lanes) {
        return String.format("0x%08X", lanes);
    }

    private static boolean has(int lanes, int lane) {
        return lane < Warp.LANES && (lanes >>> lane & 1) != 0;
    }
}
