package dev.tilewright.reference.simt;

import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.reference.state.SharedMemory;
import java.util.Arrays;

/**
 * What lanes have touched in a turn. Stores happen when the turn is over, so that it can be taken back; and where two
 * lanes touch the same byte, one of them by a store, they {@linkplain Lanes#goApart go apart}: then it matters who
 * comes first. So what the lanes leave is what they would leave one by one.
 */
final class TurnMemory {
    /** In place of a piece of global memory. */
    static final int SHARED = -2;
    /** Accesses of a turn, each compared with those before it. */
    private static final int MOST = 256;

    /**
     * One operation's accesses: their addresses, of which each is one of an array and what all have alike, and where in
     * the log the values are that are stored.
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
        /** A shape's or the log; null where all have the base. */
        private long[] addresses;
        private int first;
        private long base;
        private LaneShape shape;
        private int values;

        long address(int i) {
            return addresses == null ? base : addresses[first + i] + base;
        }

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

    /**
     * The active lanes read shared memory, which is returned; null where they go apart, or have.
     *
     * @param at addresses less {@code base}, by lane, which are those of {@link Lanes#shape} if there is one; null for
     *         zeros
     */
    byte[] readsShared(Lanes lanes, long[] at, long base, int size) {
        Access a = touches(lanes, null, at, base, size, false);
        return a == null ? null : shared.at((int) a.least, (int) (a.end - a.least));
    }

    /** The active lanes read global memory; see {@link #readsShared}. @return false where they go apart */
    boolean readsGlobal(Lanes lanes, GlobalMemory memory, long[] at, long base, int size) {
        return touches(lanes, memory, at, base, size, false) != null;
    }

    /**
     * The active lanes store; see {@link #readsShared}.
     *
     * @param memory null for shared memory
     * @param low columns of 8 bytes or what there is, and of 8 more where it stores 16
     */
    void stores(Lanes lanes, GlobalMemory memory, long[] at, long base, int size, long[] low, long[] high) {
        Access a = touches(lanes, memory, at, base, size, true);
        if (a == null) {
            return;
        }
        if (!areDistinct(a)) {
            lanes.goApart();
            return;
        }
        a.values = used;
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

    /** @return null where the lanes go apart, or have */
    private Access touches(Lanes lanes, GlobalMemory memory, long[] at, long base, int size, boolean store) {
        if (lanes.areApart()) {
            return null;
        }
        if (count == MOST) {
            lanes.goApart();
            return null;
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
        a.base = base;
        a.shape = at == null ? null : lanes.shape;
        place(a, at);
        for (int i = 0; i < count; i++) {
            Access before = accesses[i];
            if (before.piece == a.piece && (before.store || store) && before.least < a.end && a.least < before.end
                    && !isOwn(before, a)) {
                lanes.goApart();
                return null;
            }
        }
        count++;
        return a;
    }

    /** Where the addresses are, and how far they reach. */
    private void place(Access a, long[] at) {
        long least = 0;
        long most = 0;
        if (at == null) {
            a.addresses = null;
        } else if (a.shape != null && a.lanes == at.length) {
            a.addresses = at;
            a.first = 0;
            least = a.shape.least;
            most = a.shape.most;
        } else {
            a.first = used;
            append(at, a.firstLane, a.lanes);
            a.addresses = log;
            least = Long.MAX_VALUE;
            most = Long.MIN_VALUE;
            for (int i = a.first; i < a.first + a.lanes; i++) {
                least = Math.min(least, log[i]);
                most = Math.max(most, log[i]);
            }
        }
        a.least = a.start + a.base + least;
        a.end = a.start + a.base + most + a.size;
    }

    /**
     * Whether each lane stores where it alone has read or stored before, so that it may do so when the turn is over.
     */
    private boolean isOwn(Access before, Access a) {
        if (!a.store || before.size != a.size || before.firstLane != a.firstLane || before.lanes != a.lanes
                || before.start != a.start) {
            return false;
        }
        for (int i = 0; i < a.lanes; i++) {
            if (before.address(i) != a.address(i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether no byte is stored to by two lanes. */
    private boolean areDistinct(Access a) {
        if (a.lanes == 1 || a.shape != null && a.shape.apart() >= a.size) {
            return true;
        }
        long together = Long.MAX_VALUE;
        for (int i = 1; i < a.lanes; i++) {
            together = Math.min(together, a.address(i) - a.address(i - 1));
        }
        if (together >= a.size) {
            return true;
        }
        long places = (a.end - a.least) / a.size;
        if (places < a.lanes || places > 64L * a.lanes) {
            return false;
        }
        // Addresses are multiples of the size, a power of two.
        int shift = Integer.numberOfTrailingZeros(a.size);
        int words = (int) (places >>> 6) + 1;
        if (seen.length < words) {
            seen = new long[2 * words];
        }
        Arrays.fill(seen, 0, words, 0);
        long least = a.least - a.start;
        for (int i = 0; i < a.lanes; i++) {
            int place = (int) (a.address(i) - least >>> shift);
            long bit = 1L << place;
            if ((seen[place >>> 6] & bit) != 0) {
                return false;
            }
            seen[place >>> 6] |= bit;
        }
        return true;
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
        int size = Math.min(8, a.size);
        for (int i = 0; i < a.lanes; i++) {
            shared.set((int) a.address(i), size, log[a.values + i]);
        }
        if (a.size == 16) {
            for (int i = 0; i < a.lanes; i++) {
                shared.set((int) a.address(i) + 8, 8, log[a.values + a.lanes + i]);
            }
        }
    }

    private void storeGlobal(Access a) {
        int n = a.lanes;
        int values = a.values;
        GlobalMemory memory = a.memory;
        if (a.size == 16 && a.addresses != null) {
            long[] addresses = a.addresses;
            long[] words = log;
            long base = a.base;
            int first = a.first;
            for (int i = 0; i < n; i++) {
                long at = addresses[first + i] + base;
                memory.setLongs(at, words[values + i], words[values + n + i]);
            }
        } else if (a.size == 16) {
            memory.setLongs(a.base, log[values], log[values + n]);
        } else {
            for (int i = 0; i < n; i++) {
                memory.set(a.address(i), a.size, log[values + i]);
            }
        }
    }
}
