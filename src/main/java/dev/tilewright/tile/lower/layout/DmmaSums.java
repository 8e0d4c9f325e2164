package dev.tilewright.tile.lower.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How the sums of f64 products by {@code mma.sync} are held: a warp has 64 x 32, of each 16 x 8 what {@code m16n8k16}
 * leaves a thread. Which of 8 rows or columns an instruction takes for its first is free: where neighbours along k lie
 * together they are such that what half a warp reads lies in different banks. Source: {@link
 * dev.tilewright.layout.MmaFragment}.
 *
 * @param rows bits of their number, 6 or more
 * @param columns bits of their number, 5 or more
 * @param turnedRows whether rows are taken in another order
 * @param turnedColumns whether columns are
 */
public record DmmaSums(int rows, int columns, boolean turnedRows, boolean turnedColumns) {
    /** Rows and columns of a warp. */
    public static final int WARP_ROWS = 64;
    public static final int WARP_COLUMNS = 32;
    private static final List<Integer> AS_THEY_ARE = List.of(1, 2, 4);
    private static final List<Integer> TURNED = List.of(2, 4, 1);

    private static List<Integer> order(boolean turned) {
        return turned ? TURNED : AS_THEY_ARE;
    }

    public Layout layout() {
        List<Integer> row = order(turnedRows);
        List<Integer> column = order(turnedColumns);
        List<List<Integer>> registers = List.of(column(column.get(0)), row(8), column(8), column(16), row(16), row(32));
        List<List<Integer>> threads = new ArrayList<>(List.of(column(column.get(1)), column(column.get(2)),
                row(row.get(0)), row(row.get(1)), row(row.get(2))));
        warps(columns, WARP_COLUMNS).forEach(at -> threads.add(column(at)));
        warps(rows, WARP_ROWS).forEach(at -> threads.add(row(at)));
        return new Layout(List.of(rows, columns), registers, threads);
    }

    /** What each bit of a thread's number adds to the column of B that it gives to instructions. */
    public List<Integer> columnsOfB() {
        List<Integer> bases = new ArrayList<>(List.of(0, 0));
        bases.addAll(order(turnedColumns));
        bases.addAll(warps(columns, WARP_COLUMNS));
        return bases;
    }

    private static List<Integer> warps(int bits, int first) {
        return IntStream.range(0, bits).map(bit -> 1 << bit).filter(at -> at >= first).boxed().toList();
    }

    private static List<Integer> row(int at) {
        return List.of(at, 0);
    }

    private static List<Integer> column(int at) {
        return List.of(0, at);
    }
}
