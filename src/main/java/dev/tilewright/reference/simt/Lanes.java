package dev.tilewright.reference.simt;

import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.Mbarrier;
import java.util.Arrays;

/**
 * The slots of a block's threads, each slot a column with a number for each thread, or a shape and an offset, or one
 * number where all have the same. What a turn has changed can be taken back. A lane is a thread's number in its block;
 * some, one behind the other, are active.
 */
final class Lanes {
    final int threads;
    /** The active lanes. */
    int from;
    int until;
    /** What the code that was computed last gave, where it was the same for all active lanes. */
    long same;
    /**
     * What the code gave that was computed last as a shape and an offset, the offset being {@link #same}; null for one
     * number.
     */
    LaneShape shape;
    /** How many threads go together: of the others, which are for themselves, nothing here counts. */
    int together;
    /** The block's number. */
    int block;
    /** The barrier that the lanes wait for which were last told to. */
    Mbarrier waitsFor;
    /** What memory the turn has touched. */
    final TurnMemory memory;
    /**
     * Where lanes part, after {@link LaneOp#SPLIT}: these go on at {@link #yes}, those before and behind them at
     * {@link #no}.
     */
    int splitFrom;
    int splitUntil;
    int yes;
    int no;

    private BlockState state;
    private final long[] initial;
    private final LaneShape numbers;
    /** Null where all lanes have the same, or a shape and an offset. */
    private final long[][] columns;
    /** Null where all lanes have the same, or a column. */
    private final LaneShape[] shapes;
    /** What all lanes have, or the offset. */
    private final long[] sames;
    /** Two columns for each slot: while one holds what was before the turn, the other is written. */
    private final long[][] own;
    private final long[][] oldColumns;
    private final LaneShape[] oldShapes;
    private final long[] oldSames;
    private final int[] changedIn;
    private final int[] changed;
    private int changes;
    private int turn = 1;
    private boolean apart;
    private long[][] scratch = new long[8][];
    private LaneShape.Cache[] caches = new LaneShape.Cache[8];

    /** @param slots what the slots of a thread hold before its first step */
    Lanes(int threads, long[] slots, TurnMemory memory) {
        this.threads = threads;
        this.initial = slots;
        this.memory = memory;
        long[] each = new long[threads];
        Arrays.setAll(each, i -> i);
        numbers = new LaneShape(each);
        columns = new long[slots.length][];
        shapes = new LaneShape[slots.length];
        oldShapes = new LaneShape[slots.length];
        sames = slots.clone();
        own = new long[2 * slots.length][];
        oldColumns = new long[slots.length][];
        oldSames = new long[slots.length];
        changedIn = new int[slots.length];
        changed = new int[slots.length];
    }

    /** Another block starts. */
    void restart(BlockState of) {
        state = of;
        block = of.index();
        together = threads;
        Arrays.fill(columns, null);
        Arrays.fill(shapes, null);
        System.arraycopy(initial, 0, sames, 0, sames.length);
        keep();
    }

    BlockState blockState() {
        return state;
    }

    /** Whether any of the active lanes has bulk stores under way, whose end others may see. */
    boolean haveStoresUnderWay() {
        for (int lane = from; lane < until; lane++) {
            if (state.threads()[lane].stores.isUnderWay()) {
                return true;
            }
        }
        return false;
    }

    // ---- turns

    /**
     * They cannot go on together: they make a mistake, or what one does depends on what another does. Nothing that they
     * did in this turn happens; one by one they do it, and say what is wrong.
     */
    void goApart() {
        apart = true;
    }

    /** Whether they have to take this turn one by one. */
    boolean areApart() {
        return apart;
    }

    /** What the turn has changed stays. */
    void keep() {
        turn++;
        changes = 0;
        apart = false;
    }

    /** Everything is as it was before the turn. */
    void takeBack() {
        for (int i = 0; i < changes; i++) {
            int slot = changed[i];
            columns[slot] = oldColumns[slot];
            shapes[slot] = oldShapes[slot];
            sames[slot] = oldSames[slot];
        }
        keep();
    }

    private void note(int slot) {
        if (changedIn[slot] != turn) {
            changedIn[slot] = turn;
            oldColumns[slot] = columns[slot];
            oldShapes[slot] = shapes[slot];
            oldSames[slot] = sames[slot];
            changed[changes++] = slot;
        }
    }

    // ---- slots

    /** The lanes' own numbers. */
    boolean findNumbers() {
        shape = numbers;
        same = 0;
        return true;
    }

    /** Looks for a slot's shape and offset, or what all have. @return false if it is a column */
    boolean find(int slot) {
        shape = shapes[slot];
        same = sames[slot];
        return columns[slot] == null;
    }

    /** The column that the present shape and offset are; null where all lanes have {@link #same}. */
    long[] spread(int number) {
        if (shape == null || same == 0) {
            return shape == null ? null : shape.values;
        }
        long[] to = scratch(number);
        add(shape, same, to, from, until);
        return to;
    }

    private static void add(LaneShape shape, long offset, long[] to, int from, int until) {
        long[] values = shape.values;
        for (int i = from; i < until; i++) {
            to[i] = values[i] + offset;
        }
    }

    /** A slot's column, where it is neither a shape nor the same for all. */
    long[] column(int slot) {
        return columns[slot];
    }

    /** The active lanes have this value in a slot. */
    void put(int slot, long value) {
        if (until - from == together) {
            note(slot);
            columns[slot] = null;
            shapes[slot] = null;
            sames[slot] = value;
        } else if (columns[slot] != null || shapes[slot] != null || sames[slot] != value) {
            Arrays.fill(writable(slot), from, until, value);
        }
    }

    /** The active lanes have the values of some code in a slot. */
    void put(int slot, LaneCode code) {
        if (!code.isShaped(this)) {
            put(slot, code.of(this));
        } else if (shape == null) {
            put(slot, same);
        } else {
            put(slot, shape, same);
        }
    }

    private void put(int slot, LaneShape values, long offset) {
        if (until - from == together) {
            note(slot);
            columns[slot] = null;
            shapes[slot] = values;
            sames[slot] = offset;
        } else if (shapes[slot] != values || sames[slot] != offset) {
            add(values, offset, writable(slot), from, until);
        }
    }

    /** The active lanes have these values in a slot; null stands for {@link #same}. */
    private void put(int slot, long[] values) {
        if (values == null) {
            put(slot, same);
        } else {
            System.arraycopy(values, from, writable(slot), from, until - from);
        }
    }

    /** A slot's column, in which the active lanes may be written. */
    long[] writable(int slot) {
        note(slot);
        long[] now = columns[slot];
        long[] old = oldColumns[slot];
        if (now != null && now != old) {
            return now;
        }
        int place = 2 * slot;
        if (own[place] != null && own[place] == old) {
            place++;
        }
        if (own[place] == null) {
            own[place] = new long[threads];
        }
        long[] column = own[place];
        if (until - from < together) {
            if (shapes[slot] != null) {
                add(shapes[slot], sames[slot], column, 0, threads);
            } else if (now == null) {
                Arrays.fill(column, sames[slot]);
            } else {
                System.arraycopy(now, 0, column, 0, threads);
            }
        }
        columns[slot] = column;
        shapes[slot] = null;
        return column;
    }

    /** What a lane has in its slots that is for itself from now on. */
    void take(int lane, long[] slots) {
        together--;
        for (int s = 0; s < slots.length; s++) {
            slots[s] = value(lane, s);
        }
    }

    private long value(int lane, int slot) {
        if (columns[slot] != null) {
            return columns[slot][lane];
        }
        return shapes[slot] == null ? sames[slot] : shapes[slot].values[lane] + sames[slot];
    }

    /** One more lane goes together with the others, with this in its slots. */
    void give(int lane, long[] slots) {
        together++;
        from = lane;
        until = lane + 1;
        for (int s = 0; s < slots.length; s++) {
            if (together == 1) {
                put(s, slots[s]);
            } else if (value(lane, s) != slots[s]) {
                // No turn is under way that could be taken back: the column itself is written, and no copy made of it.
                (columns[s] == null ? writable(s) : columns[s])[lane] = slots[s];
            }
        }
        keep();
    }

    /** A column for what is computed on the way. @param number different for all that are needed at once */
    long[] scratch(int number) {
        if (number >= scratch.length) {
            scratch = Arrays.copyOf(scratch, 2 * number);
        }
        if (scratch[number] == null) {
            scratch[number] = new long[threads];
        }
        return scratch[number];
    }

    /** What one piece of code has made of shapes. @param number its own */
    LaneShape.Cache cache(int number) {
        if (number >= caches.length) {
            caches = Arrays.copyOf(caches, 2 * number);
        }
        if (caches[number] == null) {
            caches[number] = new LaneShape.Cache();
        }
        return caches[number];
    }

    // ---- parting

    /**
     * Decides where the active lanes go on.
     *
     * @param holds 1 for lanes that go on at {@code whereYes}; null stands for {@link #same}
     * @return one of the places, or {@link LaneOp#SPLIT}
     */
    int choose(long[] holds, int whereYes, int whereNo) {
        if (holds == null) {
            return same != 0 ? whereYes : whereNo;
        }
        long sum = 0;
        for (int i = from; i < until; i++) {
            sum += holds[i];
        }
        if (sum == 0) {
            return whereNo;
        }
        if (sum == until - from) {
            return whereYes;
        }
        int first = from;
        while (holds[first] == 0) {
            first++;
        }
        splitFrom = first;
        splitUntil = first + (int) sum;
        for (int i = first; i < splitUntil; i++) {
            if (holds[i] == 0) {
                // They do not lie one behind the other.
                goApart();
                return whereNo;
            }
        }
        yes = whereYes;
        no = whereNo;
        return LaneOp.SPLIT;
    }
}
