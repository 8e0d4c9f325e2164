package dev.tilewright.gpu.module;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.LaunchConfig;
import dev.tilewright.program.Dim3;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a launch may ask for, checked before the driver refuses it with no reason. */
public final class LaunchLimits {
    /** Blocks along y and z (CUDA Programming Guide, "Technical Specifications per Compute Capability"). */
    private static final int MOST_BLOCKS_YZ = 65_535;

    private LaunchLimits() { }

    /** Refuses a grid that is too large, or not made of whole clusters. */
    public static void requireGrid(KernelSignature signature, Dim3 grid, Dim3 cluster) {
        if (grid.y() > MOST_BLOCKS_YZ || grid.z() > MOST_BLOCKS_YZ || grid.count() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a grid has less than 2^31 blocks, and at most " + MOST_BLOCKS_YZ
                    + " along y and z, got " + grid.text());
        }
        if (!grid.areMultiplesOf(cluster)) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "' runs in clusters of "
                    + cluster.text() + " blocks: the grid must be a multiple of that, got " + grid.text() + " blocks");
        }
    }

    /** Refuses clusters of which the device does not hold one. Needs the context to be current. */
    public static void requireClusters(Context context, KernelSignature signature, long function, Dim3 cluster) {
        if (cluster.count() > 1 && clusters(context, signature, function, cluster) == 0) {
            throw new IllegalArgumentException(context.info().name() + " holds no cluster of " + cluster.text()
                    + " blocks of kernel '" + signature.name() + "', each of " + signature.block().text()
                    + " threads and " + signature.sharedBytes()
                    + " bytes of shared memory: choose smaller clusters or tiles");
        }
    }

    /** Clusters that the device holds at once; blocks where a cluster is one. Needs the context to be current. */
    public static int clusters(Context context, KernelSignature signature, long function, Dim3 cluster) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment clusters = arena.allocate(JAVA_LONG);
            LaunchConfig config = new LaunchConfig(arena).grid(cluster.x(), cluster.y(), cluster.z())
                    .block(signature.block().x(), signature.block().y(), signature.block().z())
                    .sharedBytes(signature.sharedBytes()).cluster(cluster.x(), cluster.y(), cluster.z());
            context.check("cuOccupancyMaxActiveClusters of " + signature.name(),
                    context.api().cuOccupancyMaxActiveClusters(clusters, function, config.segment()));
            return clusters.get(JAVA_INT, 0);
        }
    }
}
