package dev.tilewright.program;

import java.util.Objects;

/**
 * How many blocks make a cluster, which run at the same time and reach each other's shared memory (CUDA Programming
 * Guide, "Thread Block Clusters").
 *
 * @param blocks in each dimension, altogether 1 to 8, or 16, which not every GPU has
 * @param chosenAtLaunch whether each launch may choose another size, as {@code cuLaunchKernelEx} lets it; else the
 *     kernel itself says it ({@code __cluster_dims__})
 */
public record ClusterSize(Dim3 blocks, boolean chosenAtLaunch) {
    /** The largest cluster that every GPU with clusters has. */
    public static final int PORTABLE = 8;
    private static final int LARGEST = 16;

    /** A kernel without clusters. */
    public static final ClusterSize NONE = new ClusterSize(Dim3.ONE, false);
    /** Chosen by each launch; one block where it does not say. */
    public static final ClusterSize AT_LAUNCH = new ClusterSize(Dim3.ONE, true);

    public ClusterSize {
        Objects.requireNonNull(blocks, "blocks");
        long count = blocks.count();
        if (count < 1 || count > PORTABLE && count != LARGEST) {
            throw new IllegalArgumentException("blocks per cluster must be in [1, " + PORTABLE + "] or " + LARGEST
                    + ", got " + (blocks.isLine() ? blocks.text() : blocks.text() + " = " + count));
        }
    }

    /** A size that the kernel says. */
    public static ClusterSize of(Dim3 blocks) {
        Objects.requireNonNull(blocks, "blocks");
        return new ClusterSize(blocks, false);
    }

    /** Blocks of a cluster. */
    public int count() {
        return (int) blocks.count();
    }

    /** Whether what only kernels with clusters have can be used. */
    public boolean hasClusters() {
        return chosenAtLaunch || count() > 1;
    }
}
