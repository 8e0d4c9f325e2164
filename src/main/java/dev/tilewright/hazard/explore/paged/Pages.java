package dev.tilewright.hazard.explore.paged;

import java.util.BitSet;
import java.util.function.LongBinaryOperator;

/**
 * Words, all 0 at first, in pages that copies share until one of them writes there. A page that was never written takes
 * no memory.
 */
abstract sealed class Pages permits Marks, Numbers {
    private final int words;
    final int page;
    final long[][] pages;
    /** The pages that no other has. */
    private final BitSet own = new BitSet();

    Pages(int words, int page) {
        this.words = words;
        this.page = page;
        this.pages = new long[(words + page - 1) / page][];
    }

    /** A copy. */
    Pages(Pages other) {
        words = other.words;
        page = other.page;
        pages = other.pages.clone();
        other.own.clear();
    }

    final long word(int at) {
        long[] in = pages[at / page];
        return in == null ? 0 : in[at % page];
    }

    final void word(int at, long value) {
        if (word(at) != value) {
            own(at / page)[at % page] = value;
        }
    }

    /** The page, which may be written from now on. */
    final long[] own(int p) {
        if (!own.get(p)) {
            pages[p] = pages[p] == null ? new long[page] : pages[p].clone();
            own.set(p);
        }
        return pages[p];
    }

    /** Takes another's page. */
    final void share(Pages other, int p) {
        pages[p] = other.pages[p];
        own.clear(p);
        other.own.clear(p);
    }

    /** About how many bytes it takes that no other has. */
    public final long bytes() {
        return 64 + pages.length * 4L + own.cardinality() * (16L + page * 8L);
    }

    /** Adds all words: the same for a page that was never written and for one of zeros. */
    public final void addTo(Key key) {
        for (int p = 0; p < pages.length; p++) {
            for (int i = 0; pages[p] != null && i < page; i++) {
                if (pages[p][i] != 0) {
                    key.add((long) p * page + i);
                    key.add(pages[p][i]);
                }
            }
        }
        key.add(-1);
    }

    /** Whether no word of a page says more than the other's. @param one null for zeros @param other null for zeros */
    abstract boolean isWithin(long[] one, long[] other);

    final boolean isWithinPages(Pages other) {
        for (int p = 0; p < pages.length; p++) {
            if (!isWithin(pages[p], other.pages[p])) {
                return false;
            }
        }
        return true;
    }

    /** Takes what either says. @param either of two words: no less than both */
    final void join(Pages other, LongBinaryOperator either) {
        for (int p = 0; p < pages.length; p++) {
            if (other.pages[p] == null || pages[p] == other.pages[p]) {
                continue;
            }
            if (isWithin(pages[p], other.pages[p])) {
                share(other, p);
            } else if (!isWithin(other.pages[p], pages[p])) {
                merge(other, p, either);
            }
        }
    }

    /** Keeps what both say. @param both of two words: no more than either */
    final void meet(Pages other, LongBinaryOperator both) {
        for (int p = 0; p < pages.length; p++) {
            if (pages[p] == null || pages[p] == other.pages[p]) {
                continue;
            }
            if (isWithin(other.pages[p], pages[p])) {
                share(other, p);
            } else if (!isWithin(pages[p], other.pages[p])) {
                merge(other, p, both);
            }
        }
    }

    private void merge(Pages other, int p, LongBinaryOperator words) {
        long[] mine = own(p);
        for (int i = 0; i < page; i++) {
            mine[i] = words.applyAsLong(mine[i], other.pages[p][i]);
        }
    }
}
