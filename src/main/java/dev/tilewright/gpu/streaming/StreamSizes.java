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

    /** Page-locked memory on both sides: 16 to 128 MiB and 3 to 6 slots did about as well on an H200. */
    private static final long SLAB = 32L << 20;
    private static final int SLOTS = 4;
    /**
     * Where threads copy; every one has a second slot, to fill while the first is on its way. On an H200's machine of
     * 16 cores, from a file to page-locked memory: 36 GB/s with 8 threads, 41 with 12 (slabs of 4 MiB; of 2 MiB 38).
     * Copied from a mapping, slabs of 2 and 4 MiB went at 23 to 25 GB/s, of 8 MiB at 17: so much page-locked memory in
     * use does not stay in the processor's cache. So slabs are half as large where two sides are copied.
     */
    private static final long STAGED_SLAB = 4L << 20;
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

    /**
     * About how many bytes a slab has.
     *
     * @param staged how many sources and targets are not page-locked
     * @param all bytes of the largest source or target
     */
    long bytes(int staged, long all, int gpus) {
        if (slab != 0) {
            return slab;
        }
        long most = staged > 0 ? Math.max(LEAST, STAGED_SLAB / staged) : SLAB;
        // A small array is cut too, so that there is something to overlap.
        return Math.max(LEAST, Math.min(most, all / ((long) SLOTS * gpus)));
    }

    /** Threads of each GPU: one where it has only to start copies. */
    int threads(boolean staged, int gpus) {
        int wanted = threads != 0 ? threads : !staged ? 1
                : Math.clamp((Runtime.getRuntime().availableProcessors() - 2) / gpus, 1, STAGED_THREADS);
        return slots != 0 ? Math.min(wanted, slots) : wanted;
    }

    /** Slots of each GPU. */
    long slots(boolean staged, int gpus) {
        return slots != 0 ? slots : staged ? 2L * threads(true, gpus) : Math.max(SLOTS, threads);
    }
}
