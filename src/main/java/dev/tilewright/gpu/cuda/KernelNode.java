package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A CUDA_KERNEL_NODE_PARAMS_v2 in native memory, for {@link GraphApi#cuGraphExecKernelNodeSetParams}. Layout by
 * {@code cuda.h} on 64-bit Linux:
 *
 * <pre>
 *    0  func                  64 bits
 *    8  gridDimX, Y, Z         3 x 32
 *   20  blockDimX, Y, Z        3 x 32
 *   32  sharedMemBytes        32, padded
 *   40  kernelParams          64
 *   48  extra                 64
 *   56  kern                  64
 *   64  ctx                   64
 * </pre>
 */
public final class KernelNode {
    /** Bytes of the structure. */
    public static final long BYTES = 72;
    private static final long FUNCTION = 0;
    private static final long GRID = 8;
    private static final int CONFIG_BYTES = 28;
    private static final long PARAMETERS = 40;

    private KernelNode() { }

    /**
     * The structure of a launch.
     *
     * @param config the launch's CUlaunchConfig: see {@link LaunchConfig}
     * @param function its CUfunction
     * @param parameters pointers to its arguments
     */
    public static MemorySegment of(MemorySegment config, long function, MemorySegment parameters, Arena arena) {
        MemorySegment node = arena.allocate(BYTES, JAVA_LONG.byteAlignment());
        set(node, config, function, parameters);
        return node;
    }

    /** Fills in a structure that {@link #of} made, anew; allocates nothing. */
    public static void set(MemorySegment node, MemorySegment config, long function, MemorySegment parameters) {
        node.set(JAVA_LONG, FUNCTION, function);
        // Grid, block and shared memory stand in the same order and size in both structures.
        for (int at = 0; at < CONFIG_BYTES; at += Integer.BYTES) {
            node.set(JAVA_INT, GRID + at, config.get(JAVA_INT, at));
        }
        node.set(JAVA_LONG, PARAMETERS, parameters.address());
    }
}
