package dev.tilewright.tile.lower.exchange;

import java.util.Collections;
import java.util.List;

/** What steps need, which is known when they have been written once. */
public final class ExchangeNeeds {
    /** More exchanges between blocks than a kernel has. */
    private static final int MANY = 64;

    int bytes = 16;
    int sums;
    boolean any;
    List<ClusterExchange.Round> rounds = Collections.nCopies(MANY, new ClusterExchange.Round(0, 0));

    /** Of memory through which threads exchange elements. */
    public int bytes() {
        return bytes;
    }

    /** Whether elements go through memory at all. */
    public boolean any() {
        return any;
    }
}
