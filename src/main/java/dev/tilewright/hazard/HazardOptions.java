package dev.tilewright.hazard;

import java.util.List;

/**
 * How much is checked.
 *
 * @param firstBlocks how many blocks are checked, from the first on, rounded up to whole clusters; 0 for all
 * @param seeds orders in which the run is repeated, as a second net for what one order of events does not show; the
 *     memory is put back in between
 * @param mostBytes the largest program that is checked, in bytes of memory that it may touch
 * @param mostFindings after this many, no more are collected
 */
public record HazardOptions(int firstBlocks, List<Long> seeds, long mostBytes, int mostFindings) {

    /** All blocks, in the fixed order, up to 256 MiB and 100 findings. */
    public static final HazardOptions DEFAULT = new HazardOptions(0, List.of(), 256L << 20, 100);

    public HazardOptions {
        seeds = List.copyOf(seeds);
        if (firstBlocks < 0 || mostBytes < 1 || mostFindings < 1) {
            throw new IllegalArgumentException("at least 0 blocks, 1 byte and 1 finding, got " + firstBlocks + ", "
                    + mostBytes + " and " + mostFindings);
        }
    }

    /** The default, with only the first n blocks. */
    public static HazardOptions firstBlocks(int n) {
        return DEFAULT.withFirstBlocks(n);
    }

    public HazardOptions withFirstBlocks(int blocks) {
        return new HazardOptions(blocks, seeds, mostBytes, mostFindings);
    }

    public HazardOptions withSeeds(Long... more) {
        return new HazardOptions(firstBlocks, List.of(more), mostBytes, mostFindings);
    }

    public HazardOptions withMostBytes(long bytes) {
        return new HazardOptions(firstBlocks, seeds, bytes, mostFindings);
    }
}
