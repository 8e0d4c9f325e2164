package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.Body;

/**
 * The threads that compute a tile together: a block's first ones, or all of a cluster's blocks.
 *
 * @param bits of a thread's number: a block has two to that many
 * @param whole whether a block has no others
 * @param blockBits of a block's number in its cluster
 */
public record Team(int bits, boolean whole, int blockBits) {
    /** Threads of four warps, which {@code wgmma} takes together. */
    public static final int GROUP = 1 << WgmmaSums.GROUP;
    private static final int BARRIER = 15;

    public Team(int bits, boolean whole) {
        this(bits, whole, 0);
    }

    /** All threads of a cluster. @param blocks 2, 4 or 8 @param threads of each */
    public static Team cluster(int blocks, int threads) {
        return new Team(block(threads).bits, true, Layout.bitsOf(blocks));
    }

    /** All threads of a block. */
    public static Team block(int threads) {
        if (threads < 32 || threads > 1024 || Integer.bitCount(threads) != 1) {
            throw new IllegalArgumentException("a block has 32, 64, … 1024 threads, got " + threads);
        }
        return new Team(Layout.bitsOf(threads), true);
    }

    /** Of a block. */
    public int threads() {
        return 1 << bits;
    }

    /** Of a cluster. */
    public int blocks() {
        return 1 << blockBits;
    }

    /** All of a block wait for each other, and see what each has written. */
    public void sync(Body body) {
        if (whole) {
            body.syncThreads();
        } else {
            body.namedBarrier(BARRIER, threads()).sync();
        }
    }
}
