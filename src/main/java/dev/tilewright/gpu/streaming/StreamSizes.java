package dev.tilewright.gpu.streaming;

/**
 * How large slabs are, how many are under way, and how many threads copy; 0 for what was not said.
 *
 * @param slab bytes
 * @param slots of each GPU
 * @param threads of each GPU
 */
record StreamSizes(long slab, int slots, int threads) {
    static final StreamSizes MEASURED = new StreamSizes(0, 0, 0);

    /** Page-locked memory on both sides. */
    private static final long SLAB = 32L << 20;
    private static final int SLOTS = 4;
    /** Where threads copy; every one has a second slot, to fill while the first is on its way. */
    private static final long STAGED_SLAB = 2L << 20;
    private static final int STAGED_THREADS = 12;
    /** Below this, what a launch and its copies cost by themselves begins to show. */
    private static final long LEAST = 1L << 20;

    StreamSizes slab(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a slab has at least 1 byte, got " + bytes);
        }
        return new StreamSizes(bytes, slots, threads);
    }

    StreamSizes slots(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a GPU has at least 1 slab under way, got " + count);
        }
        return new StreamSizes(slab, count, threads);
    }

    StreamSizes threads(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("at least 1 thread copies, got " + count);
        }
        return new StreamSizes(slab, slots, count);
    }

    /** The most that a slab has, before it is known where the bytes come from. */
    long mostBytes() {
        return slab != 0 ? slab : SLAB;
    }

    /** About how many bytes a slab has. @param all bytes of the largest source or target */
    long bytes(boolean staged, long all, int gpus) {
        if (slab != 0) {
            return slab;
        }
        long most = staged ? STAGED_SLAB : SLAB;
        // A small array is cut too, so that there is something to overlap.
        return Math.max(Math.min(LEAST, most), Math.min(most, all / ((long) SLOTS * gpus)));
    }

    /** Threads of each GPU: one where it has only to start copies. */
    int threads(boolean staged, int gpus) {
        int wanted = threads != 0 ? threads : !staged ? 1
                : Math.clamp((Runtime.getRuntime().availableProcessors() - 2) / gpus, 1, STAGED_THREADS);
        return slots != 0 ? Math.min(wanted, slots) : wanted;
    }

    /** Slots of each GPU. */
    int slots(boolean staged, int gpus) {
        return slots != 0 ? slots : staged ? 2 * threads(true, gpus) : Math.max(SLOTS, threads);
    }
}
