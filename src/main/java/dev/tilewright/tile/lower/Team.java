package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;

/**
 * The threads of a block that compute a tile together: its first ones.
 *
 * @param bits of a thread's number: there are two to that many
 * @param whole whether a block has no others
 */
record Team(int bits, boolean whole) {
    private static final int BARRIER = 15;

    /** All threads of a block. */
    static Team block(int threads) {
        if (threads < 32 || threads > 1024 || Integer.bitCount(threads) != 1) {
            throw new IllegalArgumentException("a block has 32, 64, … 1024 threads, got " + threads);
        }
        return new Team(Layout.bitsOf(threads), true);
    }

    int threads() {
        return 1 << bits;
    }

    /** All wait for each other, and see what each has written. */
    void sync(Body body) {
        if (whole) {
            body.syncThreads();
        } else {
            body.namedBarrier(BARRIER, threads()).sync();
        }
    }
}
