package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A CUlaunchConfig in native memory, to be set once or anew before each launch; setting allocates nothing. Layout by
 * {@code cuda.h}, struct CUlaunchConfig_st and struct CUlaunchAttribute_st, on 64-bit Linux:
 *
 * <pre>
 *   CUlaunchConfig, 56 bytes                  CUlaunchAttribute, 72 bytes
 *    0  gridDimX, Y, Z       3 x 32 bits       0  id      32 bits, and 32 of padding
 *   12  blockDimX, Y, Z      3 x 32            8  value   a union of 64 bytes
 *   24  sharedMemBytes       32, padded
 *   32  hStream              64
 *   40  attrs                64
 *   48  numAttrs             32, padded
 * </pre>
 *
 * <p>Not safe for use by several threads at once: each launching thread has its own.
 */
public final class LaunchConfig {

    private static final long CONFIG_BYTES = 56;
    private static final long ATTRIBUTE_BYTES = 72;
    private static final long GRID = 0;
    private static final long BLOCK = 12;
    private static final long SHARED = 24;
    private static final long STREAM = 32;
    private static final long ATTRIBUTES = 40;
    private static final long ATTRIBUTE_COUNT = 48;
    private static final long VALUE = 8;

    private static final int COOPERATIVE = 2;
    private static final int CLUSTER_DIMENSION = 4;
    private static final int PROGRAMMATIC_STREAM_SERIALIZATION = 6;

    /** One for each setter below that adds an attribute. */
    private static final int MOST_ATTRIBUTES = 3;

    private final MemorySegment config;
    private final MemorySegment attributes;

    /**
     * One block of one thread, no dynamic shared memory, the default stream, no attributes.
     *
     * @param arena how long the memory lives
     */
    public LaunchConfig(Arena arena) {
        config = arena.allocate(CONFIG_BYTES, JAVA_LONG.byteAlignment());
        attributes = arena.allocate(ATTRIBUTE_BYTES * MOST_ATTRIBUTES, JAVA_LONG.byteAlignment());
        config.set(JAVA_LONG, ATTRIBUTES, attributes.address());
        grid(1, 1, 1).block(1, 1, 1);
    }

    /** For {@link LibCuda#cuLaunchKernelEx}. */
    public MemorySegment segment() {
        return config;
    }

    /** Blocks in each dimension. */
    public LaunchConfig grid(int x, int y, int z) {
        three(config, GRID, x, y, z);
        return this;
    }

    /** Threads of a block in each dimension. */
    public LaunchConfig block(int x, int y, int z) {
        three(config, BLOCK, x, y, z);
        return this;
    }

    /** Dynamic shared memory of a block, in bytes. */
    public LaunchConfig sharedBytes(int bytes) {
        config.set(JAVA_INT, SHARED, bytes);
        return this;
    }

    /** The CUstream; 0 is the default stream. */
    public LaunchConfig stream(long stream) {
        config.set(JAVA_LONG, STREAM, stream);
        return this;
    }

    /** Blocks of a cluster in each dimension: CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION. */
    public LaunchConfig cluster(int x, int y, int z) {
        three(attributes, attribute(CLUSTER_DIMENSION) + VALUE, x, y, z);
        return this;
    }

    /** Whether all blocks must be resident at once: CU_LAUNCH_ATTRIBUTE_COOPERATIVE. */
    public LaunchConfig cooperative(boolean cooperative) {
        attributes.set(JAVA_INT, attribute(COOPERATIVE) + VALUE, cooperative ? 1 : 0);
        return this;
    }

    /**
     * Whether it may begin before the kernel in front of it ends:
     * CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.
     */
    public LaunchConfig programmaticSerialization(boolean allowed) {
        attributes.set(JAVA_INT, attribute(PROGRAMMATIC_STREAM_SERIALIZATION) + VALUE, allowed ? 1 : 0);
        return this;
    }

    /** Where the attribute of this kind is; added if it is not there yet. */
    private long attribute(int id) {
        int count = config.get(JAVA_INT, ATTRIBUTE_COUNT);
        for (int i = 0; i < count; i++) {
            if (attributes.get(JAVA_INT, i * ATTRIBUTE_BYTES) == id) {
                return i * ATTRIBUTE_BYTES;
            }
        }
        long at = count * ATTRIBUTE_BYTES;
        attributes.asSlice(at, ATTRIBUTE_BYTES).fill((byte) 0);
        attributes.set(JAVA_INT, at, id);
        config.set(JAVA_INT, ATTRIBUTE_COUNT, count + 1);
        return at;
    }

    private static void three(MemorySegment segment, long at, int x, int y, int z) {
        if (x < 1 || y < 1 || z < 1) {
            throw new IllegalArgumentException(
                    "a launch has at least 1 in each dimension, not " + x + " x " + y + " x " + z);
        }
        segment.set(JAVA_INT, at, x);
        segment.set(JAVA_INT, at + 4, y);
        segment.set(JAVA_INT, at + 8, z);
    }
}
