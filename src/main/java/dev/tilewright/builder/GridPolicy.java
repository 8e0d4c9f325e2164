package dev.tilewright.builder;

/**
 * How the tiles of an array are shared out: each block takes a run of neighbouring tiles, all runs equally long but the
 * last.
 */
public sealed interface GridPolicy {

    /** Tiles of each block, at least 1, for an array of this many tiles. */
    int tilesPerBlock(int tiles);

    /**
     * How many blocks sweep over neighbouring tiles together, of a kernel whose blocks walk {@link Walk#INTERLEAVED}.
     *
     * @param blocks of the launch
     */
    default int blocksTogether(int blocks) {
        return blocks;
    }

    /**
     * {@code count} tiles for each block, of which as many as run at once sweep together: the ones that come after
     * these begin where the first are done, so that no block waits for slower ones at the end.
     *
     * @param blocks that the device holds at once
     */
    static GridPolicy waves(int blocks, int count) {
        return new Waves(blocks, count);
    }

    /** {@code count} tiles for each block. */
    static GridPolicy tilesEach(int count) {
        return new Each(count);
    }

    /** A grid as even as can be, over at most {@code blocks} blocks. */
    static GridPolicy over(int blocks) {
        return new Over(blocks);
    }

    /** @param count at least 1 */
    record Each(int count) implements GridPolicy {
        public Each {
            requirePositive("tiles per block", count);
        }

        @Override
        public int tilesPerBlock(int tiles) {
            return count;
        }
    }

    /** @param blocks at least 1 */
    record Over(int blocks) implements GridPolicy {
        public Over {
            requirePositive("blocks", blocks);
        }

        @Override
        public int tilesPerBlock(int tiles) {
            return Math.max(1, Math.ceilDiv(tiles, blocks));
        }
    }

    /**
     * @param blocks at least 1
     * @param count at least 1
     */
    record Waves(int blocks, int count) implements GridPolicy {
        public Waves {
            requirePositive("blocks", blocks);
            requirePositive("tiles per block", count);
        }

        @Override
        public int tilesPerBlock(int tiles) {
            return Math.max(1, Math.min(count, Math.ceilDiv(tiles, blocks)));
        }

        @Override
        public int blocksTogether(int all) {
            return Math.min(blocks, all);
        }
    }

    private static void requirePositive(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " must be at least 1, got " + value);
        }
    }
}
