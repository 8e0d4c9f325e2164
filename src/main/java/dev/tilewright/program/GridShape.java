package dev.tilewright.program;

import dev.tilewright.NotNull;

/**
 * The blocks of a launch and their clusters. Blocks have numbers here that run through one cluster after the other, in
 * each the ranks in order; clusters and ranks count x first. Where grid and clusters have one dimension, that is
 * {@code blockIdx.x}.
 *
 * @param grid blocks in each dimension
 * @param cluster blocks of a cluster in each dimension, by which the grid can be divided
 */
public record GridShape(Dim3 grid, Dim3 cluster) {
    public GridShape {
        NotNull.all("grid, cluster", grid, cluster);
    }

    /** Whether a block's number is its {@code blockIdx.x}. */
    public boolean isLine() {
        return grid.isLine() && cluster.isLine();
    }

    /** All blocks. */
    public int blocks() {
        return Math.toIntExact(grid.count());
    }

    /** Clusters in each dimension. */
    public Dim3 clusters() {
        return grid.dividedBy(cluster);
    }

    /** The place among the clusters of the one that a block belongs to. */
    public Dim3 clusterOf(int block) {
        return clusters().place(block / (int) cluster.count());
    }

    /** A block's place within its cluster. */
    public Dim3 withinCluster(int block) {
        return cluster.place(block % (int) cluster.count());
    }

    /** A block's place within the grid: {@code blockIdx}. */
    public Dim3 place(int block) {
        Dim3 of = clusterOf(block);
        Dim3 at = withinCluster(block);
        return new Dim3(of.x() * cluster.x() + at.x(), of.y() * cluster.y() + at.y(), of.z() * cluster.z() + at.z());
    }

    /** For messages, where a block's number is not what CUDA calls it. */
    public String explain(int block) {
        Dim3 at = place(block);
        return "block " + block + " is blockIdx (" + at.x() + ", " + at.y() + ", " + at.z()
                + "), since blocks count cluster by cluster, x first";
    }
}
