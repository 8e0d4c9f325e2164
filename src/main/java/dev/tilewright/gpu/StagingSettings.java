package dev.tilewright.gpu;

/**
 * How copies of pageable memory go through page-locked memory. Values by measurement on an H200 machine with 16 cores; each
 * can be set by a system property, {@code tilewright.staging.} and its name.
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
record StagingSettings(int threads, int piece, int pieces, int lanes, int directUp, int directDown, int scratch,
        int share) {
    private static final int LEAST_PIECE = 64 << 10;
    /** A thread shall have so many pieces of a copy that is long enough, so that one that comes late is not waited for. */
    private static final int PIECES_EACH = 4;

    StagingSettings {
        if (threads < 0 || piece < LEAST_PIECE || pieces < 1 || lanes < 1 || directUp < 0 || directDown < 0 || scratch < 0
                || share < 1) {
            throw new IllegalArgumentException("copies need at least 1 lane of 1 piece of " + LEAST_PIECE
                    + " bytes, got " + threads + " threads, " + lanes + " lanes, " + pieces + " pieces of " + piece
                    + " bytes, direct copies of " + directUp + " and " + directDown + " bytes, scratch memory of " + scratch
                    + " bytes, a thread for each " + share + " bytes");
        }
    }

    /** As this process is told, or else what is good. */
    static StagingSettings configured() {
        int threads = property("threads", Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 2, 8) - 1);
        return new StagingSettings(threads, property("piece", 4 << 20), property("pieces", 2), property("lanes", 10),
                property("direct-up", 4 << 20), property("direct-down", 1 << 20), property("scratch", 64 << 10),
                property("share", 512 << 10));
    }

    private static int property(String name, int otherwise) {
        return Integer.getInteger("tilewright.staging." + name, otherwise);
    }

    /** Bytes of page-locked memory that one thread copies through. */
    long laneBytes() {
        return (long) pieces * piece;
    }

    /** How many threads beside the caller a copy is worth. */
    int helpers(long bytes) {
        return (int) Math.min(threads, (bytes - 1) / share);
    }

    /** How long pieces of a copy are. */
    long pieceOf(long bytes) {
        long each = Math.ceilDiv(bytes, (long) PIECES_EACH * (helpers(bytes) + 1));
        return Math.clamp(Math.ceilDiv(each, LEAST_PIECE) * LEAST_PIECE, LEAST_PIECE, piece);
    }
}
