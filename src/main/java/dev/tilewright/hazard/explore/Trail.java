package dev.tilewright.hazard.explore;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** The steps that led to a state, the newest first: states that part ways share what came before. */
final class Trail {
    /** About how many bytes a step takes. */
    static final int BYTES = 96;
    private static final int[] NONE = {};
    /** Threads that one hands on to the next, at most, until a race is come to. */
    private static final int MOST_HANDS = 16;

    final Trail before;
    /** How many steps there are. */
    final int length;
    final int thread;
    final int step;
    final Move.Kind kind;
    /** The cells that it touched: the number of each, twice, and 1 where it wrote. */
    private int[] cells = NONE;
    /** The numbers of what it read or wrote there. */
    private int[] values = NONE;
    /** The first of the cells for which threads race; -1 for none. */
    private int raced = -1;
    private boolean older;

    /** @param step its number in the program, of a copy the one that started it */
    Trail(Trail before, int thread, int step, Move.Kind kind) {
        this.before = before;
        this.length = before == null ? 1 : before.length + 1;
        this.thread = thread;
        this.step = step;
        this.kind = kind;
    }

    /**
     * Notes what the newest step touches.
     *
     * @param contended whether others may touch it in another order
     * @param number of what it reads or writes
     */
    void touches(int cell, boolean writes, boolean contended, int number) {
        if (contended && raced < 0) {
            raced = cells.length;
        }
        cells = Arrays.copyOf(cells, cells.length + 1);
        values = Arrays.copyOf(values, cells.length);
        cells[cells.length - 1] = 2 * cell + (writes ? 1 : 0);
        values[cells.length - 1] = number;
    }

    private boolean touched(int cell, boolean write) {
        return Arrays.stream(cells).anyMatch(c -> c == 2 * cell + (write ? 1 : 0));
    }

    /** Little endian, as a number; that of bytes that nothing wrote is none. */
    private String text(Launched launched) {
        int value = values.length == 0 ? -1 : values[Math.max(0, raced)];
        short[] bytes = value < 0 ? new short[0] : launched.values.bytes(value);
        if (value >= 0 && launched.values.hasUndefined(value)) {
            return "unwritten bytes";
        }
        StringBuilder text = new StringBuilder();
        for (int i = bytes.length - 1; i >= 0 && bytes.length <= Long.BYTES; i--) {
            text.append(String.format("%02x", bytes[i]));
        }
        return text.isEmpty() ? "" : "0x" + text;
    }

    /** Notes that the newest step saw an older write than the last. */
    void seesOlder() {
        older = true;
    }

    /** All moves. @param telling the moves that explain the end, see {@link #about} */
    static List<Move> moves(Trail last, Launched launched, Set<Trail> telling) {
        Deque<Move> moves = new ArrayDeque<>();
        for (Trail t = last; t != null; t = t.before) {
            moves.addFirst(new Move(t.thread / launched.threadsPerBlock, t.thread % launched.threadsPerBlock, t.step,
                    t.kind, t.cells.length == 0 ? "" : launched.name(launched.cells.range(
                    t.cells[Math.max(0, t.raced)] / 2)), t.text(launched), t.raced >= 0, t.older,
                    telling.contains(t)));
        }
        return List.copyOf(moves);
    }

    /**
     * The steps that explain what a cell holds at the end: its last write, the raced read before it in the same thread,
     * and the writes by others to what that read, the last before and the first after. Empty where no race is come to.
     */
    static Set<Trail> about(Trail last, int cell, Launched launched) {
        Set<Trail> telling = Collections.newSetFromMap(new IdentityHashMap<>());
        int at = cell;
        Trail from = last;
        for (int hands = 0; hands < MOST_HANDS; hands++) {
            Trail write = writer(from, at, -1);
            if (write == null) {
                break;
            }
            telling.add(write);
            if (launched.cells.isWatched(at)) {
                around(last, write, at, telling);
                return telling;
            }
            Trail read = write;
            int of = -1;
            while (read != null && of < 0) {
                read = read.before;
                of = read == null || read.thread != write.thread ? -1 : read.source(write.thread);
            }
            if (read == null) {
                break;
            }
            telling.add(read);
            if (launched.cells.isWatched(of)) {
                around(last, read, of, telling);
                return telling;
            }
            at = of;
            from = read;
        }
        return Set.of();
    }

    /** A cell that it read and that explains what its thread wrote: one raced for, or that another wrote; else -1. */
    private int source(int thread) {
        if (raced >= 0 && cells[raced] % 2 == 0) {
            return cells[raced] / 2;
        }
        for (int c : cells) {
            Trail write = c % 2 == 1 ? null : writer(before, c / 2, -1);
            if (write != null && write.thread != thread) {
                return c / 2;
            }
        }
        return -1;
    }

    /** The newest step that wrote a cell. @param not a thread whose steps do not count; -1 for none */
    private static Trail writer(Trail from, int cell, int not) {
        Trail t = from;
        while (t != null && (t.thread == not || !t.touched(cell, true))) {
            t = t.before;
        }
        return t;
    }

    /** The writes of other threads to a cell before and after a step. */
    private static void around(Trail last, Trail step, int cell, Set<Trail> telling) {
        Trail earlier = writer(step.before, cell, step.thread);
        if (earlier != null) {
            telling.add(earlier);
        }
        Trail later = null;
        for (Trail t = last; t != step; t = t.before) {
            later = t.thread != step.thread && t.touched(cell, true) ? t : later;
        }
        if (later != null) {
            telling.add(later);
        }
    }
}
