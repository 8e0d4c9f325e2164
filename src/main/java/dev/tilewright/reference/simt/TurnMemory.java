package dev.tilewright.reference.simt;

import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.reference.state.SharedMemory;
import java.util.Arrays;

/**
 * What lanes have touched in a turn. Stores happen when the turn is over, so that it can be taken back; and where two
 * lanes touch the same byte, one of them by a store, they go apart: then it matters who comes first. So what the lanes
 * leave is what they would leave one by one.
 */
final class TurnMemory {
    /** In place of a piece of global memory. */
    static final int SHARED = -2;
    /** Accesses of a turn, each compared with those before it. */
    private static final int MOST = 256;

    /**
     * One operation's accesses, and where in the log their addresses are, and behind them the values that are stored.
     */
    private static final class Access {
        private boolean store;
        private int piece;
        private GlobalMemory memory;
        private int size;
        /** From the memory's first byte to the piece's. */
        private long start;
        private int lanes;
        private int firstLane;
        private int at;
        private long least;
        private long end;
    }

    private final Access[] accesses = new Access[MOST];
    private int count;
    private long[] log = new long[1 << 12];
    private int used;
    private long[] seen = new long[16];
    private SharedMemory shared;

    /** A turn begins. */
    void begin(SharedMemory blocks) {
        shared = blocks;
        count = 0;
        used = 0;
    }

    /** The active lanes read shared memory, which is returned. @param at addresses; null where all have {@code same} */
    byte[] readsShared(Lanes lanes, long[] at, long same, int size) {
        Access a = touches(lanes, null, at, same, size, false);
        return shared.at((int) a.least, (int) (a.end - a.least));
    }

    /** The active lanes read global memory. */
    void readsGlobal(Lanes lanes, GlobalMemory memory, long[] at, long same, int size) {
        if (memory.known().piece() >= 0) {
            touches(lanes, memory, at, same, size, false);
        }
    }

    /**
     * The active lanes store.
     *
     * @param memory null for shared memory
     * @param at addresses; null where all have {@code same}
     * @param low columns of 8 bytes or what there is, and of 8 more where it stores 16
     */
    void stores(Lanes lanes, GlobalMemory memory, long[] at, long same, int size, long[] low, long[] high) {
        Access a = touches(lanes, memory, at, same, size, true);
        requireDistinct(a);
        append(low, a.firstLane, a.lanes);
        if (high != null) {
            append(high, a.firstLane, a.lanes);
        }
    }

    private void append(long[] column, int from, int n) {
        if (used + n > log.length) {
            log = Arrays.copyOf(log, 2 * (used + n));
        }
        System.arraycopy(column, from, log, used, n);
        used += n;
    }

    private Access touches(Lanes lanes, GlobalMemory memory, long[] at, long same, int size, boolean store) {
        if (count == MOST) {
            throw ApartException.INSTANCE;
        }
        Access a = accesses[count];
        if (a == null) {
            a = new Access();
            accesses[count] = a;
        }
        a.store = store;
        a.memory = memory;
        a.piece = memory == null ? SHARED : memory.known().piece();
        a.start = memory == null ? 0 : memory.known().offset();
        a.size = size;
        a.firstLane = lanes.from;
        a.lanes = lanes.until - lanes.from;
        a.at = used;
        if (at == null) {
            for (int i = 0; i < a.lanes; i++) {
                append(same);
            }
            a.least = a.start + same;
            a.end = a.least + size;
        } else {
            append(at, lanes.from, a.lanes);
            long least = Long.MAX_VALUE;
            long most = Long.MIN_VALUE;
            for (int i = lanes.from; i < lanes.until; i++) {
                least = Math.min(least, at[i]);
                most = Math.max(most, at[i]);
            }
            a.least = a.start + least;
            a.end = a.start + most + size;
        }
        for (int i = 0; i < count; i++) {
            Access before = accesses[i];
            if (before.piece == a.piece && (before.store || store) && before.least < a.end && a.least < before.end
                    && !isOwn(before, a)) {
                throw ApartException.INSTANCE;
            }
        }
        count++;
        return a;
    }

    private void append(long word) {
        if (used == log.length) {
            log = Arrays.copyOf(log, 2 * used);
        }
        log[used++] = word;
    }

    /**
     * Whether each lane stores where it alone has read or stored before, so that it may do so when the turn is over.
     */
    private boolean isOwn(Access before, Access a) {
        return a.store && before.size == a.size && before.firstLane == a.firstLane && before.lanes == a.lanes
                && before.start == a.start
                && Arrays.equals(log, before.at, before.at + a.lanes, log, a.at, a.at + a.lanes);
    }

    /** No byte is stored to by two lanes. */
    private void requireDistinct(Access a) {
        long together = a.lanes == 1 ? a.size : Long.MAX_VALUE;
        for (int i = a.at + 1; i < a.at + a.lanes; i++) {
            together = Math.min(together, log[i] - log[i - 1]);
        }
        if (together >= a.size) {
            return;
        }
        long places = (a.end - a.least) / a.size;
        if (places < a.lanes || places > 64L * a.lanes) {
            throw ApartException.INSTANCE;
        }
        // Addresses are multiples of the size, a power of two.
        int shift = Integer.numberOfTrailingZeros(a.size);
        int words = (int) (places >>> 6) + 1;
        if (seen.length < words) {
            seen = new long[2 * words];
        }
        Arrays.fill(seen, 0, words, 0);
        long least = a.least - a.start;
        for (int i = a.at; i < a.at + a.lanes; i++) {
            int place = (int) (log[i] - least >>> shift);
            long bit = 1L << place;
            if ((seen[place >>> 6] & bit) != 0) {
                throw ApartException.INSTANCE;
            }
            seen[place >>> 6] |= bit;
        }
    }

    /** The turn is over: what it stores is stored. */
    void store() {
        for (int i = 0; i < count; i++) {
            Access a = accesses[i];
            if (a.store) {
                if (a.memory == null) {
                    storeShared(a);
                } else {
                    storeGlobal(a);
                }
            }
        }
    }

    private void storeShared(Access a) {
        int n = a.lanes;
        int size = Math.min(8, a.size);
        for (int i = a.at; i < a.at + n; i++) {
            shared.set((int) log[i], size, log[i + n]);
        }
        if (a.size == 16) {
            for (int i = a.at; i < a.at + n; i++) {
                shared.set((int) log[i] + 8, 8, log[i + 2 * n]);
            }
        }
    }

    private void storeGlobal(Access a) {
        int n = a.lanes;
        GlobalMemory memory = a.memory;
        if (a.size == 16) {
            for (int i = a.at; i < a.at + n; i++) {
                memory.set(log[i], 8, log[i + n]);
                memory.set(log[i] + 8, 8, log[i + 2 * n]);
            }
        } else {
            for (int i = a.at; i < a.at + n; i++) {
                memory.set(log[i], a.size, log[i + n]);
            }
        }
    }
}
