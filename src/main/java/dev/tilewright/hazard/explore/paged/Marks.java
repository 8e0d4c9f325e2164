package dev.tilewright.hazard.explore.paged;

import java.util.Arrays;

/** For each of some places a set of agents: threads by their numbers, copies under way by the bits that they have. */
public final class Marks extends Pages {
    /** Places of a page. */
    private static final int PLACES = 16;
    /** Of each place. */
    private final int words;

    /** No agents anywhere. @param words as many as the numbers of all agents take as bits */
    public Marks(int places, int words) {
        super(places * words, PLACES * words);
        this.words = words;
    }

    private Marks(Marks other) {
        super(other);
        this.words = other.words;
    }

    public Marks copy() {
        return new Marks(this);
    }

    public int words() {
        return words;
    }

    public boolean has(int place, int bit) {
        return (word(place * words + bit / Long.SIZE) >>> bit & 1) != 0;
    }

    public void add(int place, int bit) {
        int at = place * words + bit / Long.SIZE;
        word(at, word(at) | 1L << bit);
    }

    public void remove(int place, int bit) {
        int at = place * words + bit / Long.SIZE;
        word(at, word(at) & ~(1L << bit));
    }

    public void clear(int place) {
        if (!isEmpty(place)) {
            Arrays.fill(own(place / PLACES), place % PLACES * words, (place % PLACES + 1) * words, 0);
        }
    }

    public boolean isEmpty(int place) {
        for (int w = 0; w < words && pages[place / PLACES] != null; w++) {
            if (word(place * words + w) != 0) {
                return false;
            }
        }
        return true;
    }

    public void addAll(Marks other) {
        join(other, (one, more) -> one | more);
    }

    public void keepAll(Marks other) {
        meet(other, (one, kept) -> one & kept);
    }

    public void removeAll(Marks other) {
        for (int p = 0; p < pages.length; p++) {
            if (pages[p] == null || other.pages[p] == null) {
                continue;
            }
            for (int i = 0; i < page; i++) {
                if ((pages[p][i] & other.pages[p][i]) != 0) {
                    own(p)[i] &= ~other.pages[p][i];
                }
            }
        }
    }

    /** Whether some agent is here at the place and not there. @param but one that does not count, or -1 */
    public boolean hasMore(int place, Marks than, int but) {
        for (int w = 0; w < words; w++) {
            long more = word(place * words + w) & ~than.word(place * words + w);
            if (but >= 0 && but / Long.SIZE == w) {
                more &= ~(1L << but);
            }
            if (more != 0) {
                return true;
            }
        }
        return false;
    }

    public boolean isWithin(Marks other) {
        return isWithinPages(other);
    }

    @Override
    boolean isWithin(long[] one, long[] other) {
        if (one == null || one == other) {
            return true;
        }
        for (int i = 0; i < one.length; i++) {
            if ((one[i] & ~(other == null ? 0 : other[i])) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Adds the agents of all places to a set of one. */
    public void addTo(long[] all) {
        for (long[] in : pages) {
            for (int i = 0; in != null && i < page; i++) {
                all[i % words] |= in[i];
            }
        }
    }
}
