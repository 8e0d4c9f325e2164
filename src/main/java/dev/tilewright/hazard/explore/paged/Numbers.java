package dev.tilewright.hazard.explore.paged;

/** A number of at least 0 for each of some places. */
public final class Numbers extends Pages {
    private static final int PAGE = 32;

    /** All 0. */
    public Numbers(int places) {
        super(places, PAGE);
    }

    private Numbers(Numbers other) {
        super(other);
    }

    public Numbers copy() {
        return new Numbers(this);
    }

    public int get(int place) {
        return (int) word(place);
    }

    public void set(int place, int number) {
        word(place, number);
    }

    /** Makes a number at least this large. */
    public void raise(int place, int least) {
        if (get(place) < least) {
            word(place, least);
        }
    }

    /** Makes each at least as large as the other's. */
    public void raiseAll(Numbers other) {
        join(other, Math::max);
    }

    /** Makes each at most as large as the other's. */
    public void lowerAll(Numbers other) {
        meet(other, Math::min);
    }

    /** Whether none is larger than the other's. */
    public boolean isWithin(Numbers other) {
        return isWithinPages(other);
    }

    @Override
    boolean isWithin(long[] one, long[] other) {
        if (one == null || one == other) {
            return true;
        }
        for (int i = 0; i < one.length; i++) {
            if (one[i] > (other == null ? 0 : other[i])) {
                return false;
            }
        }
        return true;
    }
}
