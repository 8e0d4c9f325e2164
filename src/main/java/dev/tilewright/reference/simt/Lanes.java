package dev.tilewright.reference.simt;

import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.Mbarrier;
import java.util.Arrays;

/**
 * The slots of a block's threads, each slot a column with a number for each thread, or one number where all have the
 * same. What a turn has changed can be taken back. A lane is a thread's number in its block; some, one behind the
 * other, are active.
 */
final class Lanes {
    final int threads;
    /** The active lanes. */
    int from;
    int until;
    /** What the code that was computed last gave, where it was the same for all active lanes. */
    long same;
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
    private final long[] numbers;
    /** Null where all lanes have the same. */
    private final long[][] columns;
    private final long[] sames;
    /** Two columns for each slot: while one holds what was before the turn, the other is written. */
    private final long[][] own;
    private final long[][] oldColumns;
    private final long[] oldSames;
    private final int[] changedIn;
    private final int[] changed;
    private int changes;
    private int turn = 1;
    private long[][] scratch = new long[8][];

    /** @param slots what the slots of a thread hold before its first step */
    Lanes(int threads, long[] slots, TurnMemory memory) {
        this.threads = threads;
        this.initial = slots;
        this.memory = memory;
        numbers = new long[threads];
        Arrays.setAll(numbers, i -> i);
        columns = new long[slots.length][];
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
        System.arraycopy(initial, 0, sames, 0, sames.length);
        keep();
    }

    BlockState blockState() {
        return state;
    }

    // ---- turns

    /** What the turn has changed stays. */
    void keep() {
        turn++;
        changes = 0;
    }

    /** Everything is as it was before the turn. */
    void takeBack() {
        for (int i = 0; i < changes; i++) {
            int slot = changed[i];
            columns[slot] = oldColumns[slot];
            sames[slot] = oldSames[slot];
        }
        keep();
    }

    private void note(int slot) {
        if (changedIn[slot] != turn) {
            changedIn[slot] = turn;
            oldColumns[slot] = columns[slot];
            oldSames[slot] = sames[slot];
            changed[changes++] = slot;
        }
    }

    // ---- slots

    long[] numbers() {
        return numbers;
    }

    /** A slot's column; null where all lanes have {@link #same}. */
    long[] column(int slot) {
        long[] column = columns[slot];
        if (column == null) {
            same = sames[slot];
        }
        return column;
    }

    /** The active lanes have this value in a slot. */
    void put(int slot, long value) {
        if (until - from == together) {
            note(slot);
            columns[slot] = null;
            sames[slot] = value;
        } else if (columns[slot] != null || sames[slot] != value) {
            Arrays.fill(writable(slot), from, until, value);
        }
    }

    /** The active lanes have these values in a slot; null stands for {@link #same}. */
    void put(int slot, long[] values) {
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
            if (now == null) {
                Arrays.fill(column, sames[slot]);
            } else {
                System.arraycopy(now, 0, column, 0, threads);
            }
        }
        columns[slot] = column;
        return column;
    }

    /** What a lane has in its slots that is for itself from now on. */
    void take(int lane, long[] slots) {
        together--;
        for (int s = 0; s < slots.length; s++) {
            long[] column = columns[s];
            slots[s] = column == null ? sames[s] : column[lane];
        }
    }

    /** One more lane goes together with the others, with this in its slots. */
    void give(int lane, long[] slots) {
        together++;
        from = lane;
        until = lane + 1;
        for (int s = 0; s < slots.length; s++) {
            put(s, slots[s]);
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

    // ---- parting

    /**
     * Decides where the active lanes go on.
     *
     * @param holds 1 for those that go on at {@code whereYes}; null stands for {@link #same}
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
                throw ApartException.INSTANCE;
            }
        }
        yes = whereYes;
        no = whereNo;
        return LaneOp.SPLIT;
    }
}
