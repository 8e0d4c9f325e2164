package dev.tilewright.tile.lower.exchange;

import java.util.Collections;
import java.util.List;

/** What steps need, which is known when they have been written once. */
public final class ExchangeNeeds {
    /** More exchanges between blocks than a kernel has. */
    private static final int MANY = 64;
    /** Bytes of a region of which nothing is used. */
    private static final int LEAST = 16;

    int bytes = LEAST;
    int sums;
    boolean any;
    boolean amongBlocks;
    List<ClusterExchange.Round> rounds = Collections.nCopies(MANY, new ClusterExchange.Round(0, 0));

    /** Of memory through which threads exchange elements. */
    public int bytes() {
        return bytes;
    }

    /** Whether elements go through memory at all. */
    public boolean any() {
        return any;
    }

    /** Whether steps that were written when nothing was known have what they need. */
    public boolean none() {
        return bytes == LEAST && sums == 0 && !any && !amongBlocks;
    }
}
