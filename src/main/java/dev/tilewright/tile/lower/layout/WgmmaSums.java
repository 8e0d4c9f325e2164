package dev.tilewright.tile.lower.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * How the sums of {@code wgmma} are held, shared out to groups of four warps. PTX ISA, "Register Fragments for wgmma",
 * accumulator D: of each 8 columns two neighbours in one row, and two 8 rows below.
 *
 * @param rows bits of their number, 6 or more
 * @param columns bits of their number, 3 or more
 * @param down bits of a group's number that go along the rows
 * @param across bits that go along the columns
 */
public record WgmmaSums(int rows, int columns, int down, int across) {
    /** Bits of the rows that a group has of one instruction. */
    public static final int ROWS = 6;
    public static final int LEAST_COLUMNS = 3;
    private static final int MOST_COLUMNS = 8;
    /** Bits of a thread's number in its group. */
    public static final int GROUP = 7;

    /** Bits of the columns that one instruction takes. */
    public int columnsOfOne() {
        return Math.min(columns - across, MOST_COLUMNS);
    }

    /** How many instructions a group has beside each other. */
    public int instructionsAcross() {
        return 1 << columns - across - columnsOfOne();
    }

    /** How many it has below each other: blocks of 64 rows. */
    public int instructionsDown() {
        return 1 << rows - ROWS - down;
    }

    /** Registers of a thread for the sums of one instruction. */
    public int registers() {
        return 1 << columnsOfOne() - 1;
    }

    /**
     * @param threadBits of the threads that hold them; groups beyond the ones that share the sums hold the same again
     */
    public Layout layout(int threadBits) {
        List<List<Integer>> registers = new ArrayList<>(List.of(column(0), row(3)));
        for (int bit = LEAST_COLUMNS; bit < columns - across; bit++) {
            registers.add(column(bit));
        }
        List<List<Integer>> threads = new ArrayList<>(List.of(column(1), column(2), row(0), row(1), row(2), row(4),
                row(5)));
        for (int bit = ROWS; bit < rows - down; bit++) {
            registers.add(row(bit));
        }
        for (int bit = rows - down; bit < rows; bit++) {
            threads.add(row(bit));
        }
        for (int bit = columns - across; bit < columns; bit++) {
            threads.add(column(bit));
        }
        while (threads.size() < threadBits) {
            threads.add(List.of(0, 0));
        }
        return new Layout(List.of(rows, columns), registers, threads);
    }

    private static List<Integer> row(int bit) {
        return List.of(1 << bit, 0);
    }

    private static List<Integer> column(int bit) {
        return List.of(0, 1 << bit);
    }
}
