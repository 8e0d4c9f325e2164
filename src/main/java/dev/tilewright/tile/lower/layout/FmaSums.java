package dev.tilewright.tile.lower.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * How the sums of fused multiply-adds are held: a warp has 64 x 64, a thread 16 x 8 of them. Along an axis whose factor
 * has neighbours along k together, neighbouring lanes have neighbouring places, so that what they read lies in
 * different banks; along another a thread has four neighbours, which one access reads.
 *
 * @param rows bits of their number, 6 or more
 * @param columns bits of their number, 6 or more
 * @param nearRows whether neighbouring lanes have neighbouring rows
 * @param nearColumns whether they have neighbouring columns
 */
public record FmaSums(int rows, int columns, boolean nearRows, boolean nearColumns) {
    /** Rows of a thread. */
    public static final int ROWS = 16;
    /** Columns of a thread. */
    public static final int COLUMNS = 8;
    private static final int WARP = 6;
    private static final List<Integer> LANE_ROWS = List.of(0, 1);
    private static final List<Integer> LANE_ROWS_FAR = List.of(2, 3);
    private static final List<Integer> LANE_COLUMNS = List.of(0, 1, 2);
    private static final List<Integer> LANE_COLUMNS_FAR = List.of(2, 3, 4);

    public Layout layout() {
        List<Integer> laneRows = nearRows ? LANE_ROWS : LANE_ROWS_FAR;
        List<Integer> laneColumns = nearColumns ? LANE_COLUMNS : LANE_COLUMNS_FAR;
        List<List<Integer>> registers = new ArrayList<>();
        own(laneColumns).forEach(bit -> registers.add(column(bit)));
        own(laneRows).forEach(bit -> registers.add(row(bit)));
        // Two lanes next to each other have the same columns, so that shared memory serves them at once.
        List<List<Integer>> threads = new ArrayList<>(List.of(row(laneRows.get(0))));
        laneColumns.forEach(bit -> threads.add(column(bit)));
        threads.add(row(laneRows.get(1)));
        for (int bit = WARP; bit < columns; bit++) {
            threads.add(column(bit));
        }
        for (int bit = WARP; bit < rows; bit++) {
            threads.add(row(bit));
        }
        return new Layout(List.of(rows, columns), registers, threads);
    }

    /** Bits within a warp's part that are a thread's own. */
    private static List<Integer> own(List<Integer> lanes) {
        List<Integer> own = new ArrayList<>();
        for (int bit = 0; bit < WARP; bit++) {
            if (!lanes.contains(bit)) {
                own.add(bit);
            }
        }
        return own;
    }

    private static List<Integer> row(int bit) {
        return List.of(1 << bit, 0);
    }

    private static List<Integer> column(int bit) {
        return List.of(0, 1 << bit);
    }
}
