package dev.tilewright.gpu.staging;

/**
 * How copies of pageable memory go through page-locked memory. Values by measurement on an H200 machine with 16 cores;
 * each can be set by a system property, {@code tilewright.staging.} and its name.
 *
 * @param threads how many threads of the process, beside the callers, copy pieces
 * @param piece bytes of a piece of page-locked memory. From 2.5 MiB on, HotSpot's copy writes past the caches where the
 *     processor has AVX-512, which leaves more of the memory's bandwidth to the bus
 * @param pieces page-locked pieces that a thread copies through in turn
 * @param lanes how many threads can copy through page-locked memory of one GPU at once: {@code lanes * pieces * piece}
 *     bytes of it at most
 * @param directUp bytes up to which an upload of native memory is left to the driver
 * @param directDown bytes up to which a download to native memory is left to the driver
 * @param scratch bytes up to which copies of other memory are left to the driver, by way of scratch memory
 * @param share bytes of a copy for which one more thread is called
 */
public record StagingSettings(int threads, int piece, int pieces, int lanes, int directUp, int directDown, int scratch,
        int share) {
    private static final int LEAST_PIECE = 64 << 10;
    private static final int PAGE = 4096;
    /**
     * The shortest piece of a copy is this part of it, in whole pages, but no shorter than the least nor longer than
     * this.
     */
    private static final int SHORTEST = 64;
    private static final int LONGEST_LEAST = 256 << 10;

    public StagingSettings {
        if (threads < 0 || piece < LEAST_PIECE || pieces < 1 || lanes < 1 || directUp < 0 || directDown < 0
                || scratch < 0
                || share < 1) {
            throw new IllegalArgumentException("copies need at least 1 lane of 1 piece of " + LEAST_PIECE
                    + " bytes, got " + threads + " threads, " + lanes + " lanes, " + pieces + " pieces of " + piece
                    + " bytes, direct copies of " + directUp + " and " + directDown + " bytes, scratch memory of "
                    + scratch + " bytes, a thread for each " + share + " bytes");
        }
    }

    /** As this process is told, or else what is good. */
    public static StagingSettings configured() {
        int threads = property("threads", Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 2, 8) - 1);
        return new StagingSettings(threads, property("piece", 4 << 20), property("pieces", 2), property("lanes", 10),
                property("direct-up", 4 << 20), property("direct-down", 1 << 20), property("scratch", 64 << 10),
                property("share", 512 << 10));
    }

    private static int property(String name, int otherwise) {
        return Integer.getInteger("tilewright.staging." + name, otherwise);
    }

    /** Bytes of page-locked memory that one thread copies through. */
    public long laneBytes() {
        return (long) pieces * piece;
    }

    /** How many threads beside the caller a copy is worth. */
    public int helpers(long bytes) {
        return (int) Math.min(threads, (bytes - 1) / share);
    }

    /**
     * How long the piece of a copy is that begins at a byte: short at both ends, since nothing is on the bus before the
     * first one has been copied, nor while the last one is, and long in the middle, where fewer calls are better.
     */
    public long pieceAt(long at, long bytes) {
        long share = Math.min(at, bytes - at) / (helpers(bytes) + 1);
        long least = Math.clamp(bytes / SHORTEST / PAGE * PAGE, LEAST_PIECE, Math.min(piece, LONGEST_LEAST));
        return Math.min(Math.clamp(share / LEAST_PIECE * LEAST_PIECE, least, piece), bytes - at);
    }
}
