package dev.tilewright.hazard.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * All memory of a launch, cut into cells: runs of bytes that every access covers wholly or not at all. Spaces are
 * numbered: the global buffers first, then the shared memory of each block.
 *
 * <p>How to cut, and which cells threads race for, is found by exploring: an access that does not fit asks for a new
 * start with a finer cut.
 */
final class Cells {

    /**
     * Exploring has to begin again, with what was learned. An exception, as {@link Ending} is: the access that asks for
     * it has no cells to go on with, and every state so far counts cells that are no longer the right ones. It comes at
     * most once for each cut, so it costs nothing next to the search.
     */
    static final class Restart extends RuntimeException {
        private static final long serialVersionUID = 1;

        Restart() {
            super(null, null, false, false);
        }
    }

    /** Bytes of a space. */
    record Range(int space, int from, int to) { }

    /** Cuts that are made one by one before neighbours are cut, too: 64, then twice as many each time. */
    private static final int FEW_CUTS = 32;
    private static final int AROUND = 64;
    private static final int MOST_DOUBLINGS = 6;

    final int buffers;
    private int finerCuts;
    private final int[] sizes;
    private final int[] kinds;
    private final List<TreeSet<Integer>> cuts = new ArrayList<>();
    private final Set<Range> contended = new HashSet<>();

    /** The cells by space, in order. */
    private int[][] starts;
    private int[] firstCell;
    private Range[] ranges;
    private boolean[] isContended;

    /** @param kinds for each space the cut that it shares with others of this number */
    Cells(int buffers, int[] sizes, int[] kinds) {
        this.buffers = buffers;
        this.sizes = sizes;
        this.kinds = kinds;
        for (int s = 0; s < sizes.length; s++) {
            cuts.add(new TreeSet<>(List.of(0)));
        }
        rebuild();
    }

    /** Takes what was learned into account. */
    void rebuild() {
        starts = new int[sizes.length][];
        firstCell = new int[sizes.length];
        List<Range> all = new ArrayList<>();
        for (int s = 0; s < sizes.length; s++) {
            starts[s] = cuts.get(kinds[s]).stream().mapToInt(i -> i).toArray();
            firstCell[s] = all.size();
            for (int i = 0; i < starts[s].length; i++) {
                all.add(new Range(s, starts[s][i], i + 1 < starts[s].length ? starts[s][i + 1] : sizes[s]));
            }
        }
        ranges = all.toArray(Range[]::new);
        isContended = new boolean[ranges.length];
        for (Range r : contended) {
            int at = Arrays.binarySearch(starts[r.space], r.from);
            for (int i = at < 0 ? -at - 2 : at; i < starts[r.space].length && starts[r.space][i] < r.to; i++) {
                isContended[firstCell[r.space] + i] = true;
            }
        }
    }

    boolean isAnyWatched() {
        return !contended.isEmpty();
    }

    int count() {
        return ranges.length;
    }

    Range range(int cell) {
        return ranges[cell];
    }

    int bytes(int cell) {
        return ranges[cell].to - ranges[cell].from;
    }

    boolean isShared(int cell) {
        return ranges[cell].space >= buffers;
    }

    /** The block whose shared memory the cell is in. */
    int block(int cell) {
        return ranges[cell].space - buffers;
    }

    /** Whether the order of accesses to the cell is tried out. */
    boolean isWatched(int cell) {
        return isContended[cell];
    }

    /** The cells of some bytes. */
    int[] of(int space, long from, long bytes) {
        if (from < 0 || from + bytes > sizes[space]) {
            throw new Ending("outside memory");
        }
        TreeSet<Integer> cut = cuts.get(kinds[space]);
        boolean finer = cut.add((int) from);
        if (from + bytes < sizes[space]) {
            finer |= cut.add((int) (from + bytes));
        }
        if (finer) {
            if (++finerCuts > FEW_CUTS) {
                cutAround(cut, from, bytes, sizes[space],
                        AROUND << Math.min(finerCuts - FEW_CUTS - 1, MOST_DOUBLINGS));
            }
            throw new Restart();
        }
        int[] at = starts[space];
        int i = Arrays.binarySearch(at, (int) from);
        int end = i;
        while (end < at.length && at[end] < from + bytes) {
            end++;
        }
        int[] cells = new int[end - i];
        for (int k = 0; k < cells.length; k++) {
            cells[k] = firstCell[space] + i + k;
        }
        return cells;
    }

    /** Where many threads access pieces side by side, their neighbours' are cut at once. */
    private static void cutAround(TreeSet<Integer> cut, long from, long bytes, int size, int around) {
        for (long at = Math.max(from % bytes, from - around * bytes); at < Math.min(size, from + around * bytes);
                at += bytes) {
            cut.add((int) at);
        }
    }

    /** Notes that nothing orders two accesses to the cell. @return whether that is news */
    boolean contend(int cell) {
        return contended.add(ranges[cell]);
    }
}
