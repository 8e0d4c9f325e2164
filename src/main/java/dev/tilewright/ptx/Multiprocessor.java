package dev.tilewright.ptx;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The resources of one multiprocessor for the blocks that it runs at once. Sources: CUDA Programming Guide, "Technical
 * Specifications per Compute Capability"; of 8.8, and of how registers and shared memory are handed out, {@code
 * cuda_occupancy.h} of CUDA 13.0 and its ptxas.
 *
 * @param blocks the most at once
 * @param threads of all blocks together
 * @param sharedBytes of all blocks together, with what the system takes for each
 */
public record Multiprocessor(int blocks, int threads, int sharedBytes) {
    /** The most threads at once on a multiprocessor of any target. */
    public static final int MOST_THREADS = 2048;
    /** Registers of 32 bits. */
    private static final int REGISTERS = 1 << 16;
    private static final int PARTITIONS = 4;
    private static final int WARP = 32;
    private static final int REGISTER_GRANULE = 256;
    private static final int SHARED_GRANULE = 128;
    /** Bytes that the system takes for each block. */
    private static final int SHARED_OF_SYSTEM = 1 << 10;

    /** The resources that limit the number of blocks. */
    public enum Limit {
        BLOCKS("blocks"), THREADS("threads"), REGISTERS("registers"), SHARED_MEMORY("shared memory");

        private final String title;

        Limit(String title) {
            this.title = title;
        }

        /** {@code shared memory}. */
        @Override
        public String toString() {
            return title;
        }
    }

    /** The multiprocessor of a target's compute capability; empty where it is not known here. */
    public static Optional<Multiprocessor> of(Target target) {
        Objects.requireNonNull(target, "target");
        return switch (10 * target.major() + target.minor()) {
            case 80 -> Optional.of(new Multiprocessor(32, MOST_THREADS, 164 << 10));
            case 86, 88 -> Optional.of(new Multiprocessor(16, 1536, 100 << 10));
            case 87 -> Optional.of(new Multiprocessor(16, 1536, 164 << 10));
            case 89, 120, 121 -> Optional.of(new Multiprocessor(24, 1536, 100 << 10));
            case 90, 100, 103 -> Optional.of(new Multiprocessor(32, MOST_THREADS, 228 << 10));
            case 101, 110 -> Optional.of(new Multiprocessor(24, 1536, 228 << 10));
            default -> Optional.empty();
        };
    }

    /**
     * How many blocks each limit allows; the least of them is how many run at once.
     *
     * @param threadsOfBlock 1 to 1024
     * @param registers of a thread; 0 to leave them out
     * @param sharedBytesOfBlock static and dynamic
     */
    public Map<Limit, Integer> allowed(int threadsOfBlock, int registers, int sharedBytesOfBlock) {
        int warps = Math.ceilDiv(threadsOfBlock, WARP);
        Map<Limit, Integer> allowed = new EnumMap<>(Limit.class);
        allowed.put(Limit.BLOCKS, blocks);
        allowed.put(Limit.THREADS, threads / (warps * WARP));
        if (registers > 0) {
            int ofWarp = Math.ceilDiv(registers * WARP, REGISTER_GRANULE) * REGISTER_GRANULE;
            boolean fits = ofWarp * Math.ceilDiv(warps, PARTITIONS) * PARTITIONS <= REGISTERS;
            allowed.put(Limit.REGISTERS, fits ? REGISTERS / PARTITIONS / ofWarp * PARTITIONS / warps : 0);
        }
        allowed.put(Limit.SHARED_MEMORY, sharedBytes
                / (Math.ceilDiv(sharedBytesOfBlock + SHARED_OF_SYSTEM, SHARED_GRANULE) * SHARED_GRANULE));
        return allowed;
    }
}
