package dev.tilewright.hazard.explore;

import java.util.Arrays;

/** For each of some places a set of agents: threads by their numbers, copies under way by the bits that they have. */
final class Marks {
    final int words;
    private final long[] bits;

    Marks(int places, int words) {
        this(words, new long[places * words]);
    }

    private Marks(int words, long[] bits) {
        this.words = words;
        this.bits = bits;
    }

    Marks copy() {
        return new Marks(words, bits.clone());
    }

    boolean has(int place, int bit) {
        return (bits[place * words + bit / Long.SIZE] >>> bit & 1) != 0;
    }

    void add(int place, int bit) {
        bits[place * words + bit / Long.SIZE] |= 1L << bit;
    }

    void remove(int place, int bit) {
        bits[place * words + bit / Long.SIZE] &= ~(1L << bit);
    }

    void clear(int place) {
        Arrays.fill(bits, place * words, (place + 1) * words, 0);
    }

    void addAll(Marks other) {
        for (int i = 0; i < bits.length; i++) {
            bits[i] |= other.bits[i];
        }
    }

    void keepAll(Marks other) {
        for (int i = 0; i < bits.length; i++) {
            bits[i] &= other.bits[i];
        }
    }

    void removeAll(Marks other) {
        for (int i = 0; i < bits.length; i++) {
            bits[i] &= ~other.bits[i];
        }
    }

    /** Whether some agent is here at the place and not there. @param but one that does not count, or -1 */
    boolean hasMore(int place, Marks than, int but) {
        for (int w = 0; w < words; w++) {
            long more = bits[place * words + w] & ~than.bits[place * words + w];
            if (but >= 0 && but / Long.SIZE == w) {
                more &= ~(1L << but);
            }
            if (more != 0) {
                return true;
            }
        }
        return false;
    }

    boolean isWithin(Marks other) {
        for (int i = 0; i < bits.length; i++) {
            if ((bits[i] & ~other.bits[i]) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Adds those of all places to a set of one. */
    void addTo(long[] all) {
        for (int i = 0; i < bits.length; i++) {
            all[i % words] |= bits[i];
        }
    }

    void addTo(Key key) {
        for (long word : bits) {
            key.add(word);
        }
    }

    @Override
    public String toString() {
        return Arrays.toString(bits);
    }
}
