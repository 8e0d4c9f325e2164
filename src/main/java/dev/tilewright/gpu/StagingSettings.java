package dev.tilewright.gpu;

/**
 * How copies of pageable memory go through page-locked memory. Values by measurement on an H200 machine with 16 cores; each
 * can be set by a system property, {@code tilewright.staging.} and its name.
 *
 * @param threads how many threads of the process, beside the callers, copy pieces
 * @param pieceBytes bytes of a piece of page-locked memory
 * @param pieces page-locked pieces that a thread copies through in turn
 * @param lanes how many threads can copy through page-locked memory of one GPU at once: {@code lanes * pieces * pieceBytes}
 *     bytes of it at most
 * @param streams over which the lanes are spread
 * @param smallUp bytes up to which an upload is left to the driver
 * @param smallDown bytes up to which a download is left to the driver
 */
record StagingSettings(int threads, int pieceBytes, int pieces, int lanes, int streams, int smallUp, int smallDown) {
    private static final int LEAST_PIECE = 4 << 10;

    StagingSettings {
        if (threads < 0 || pieceBytes < LEAST_PIECE || pieces < 1 || lanes < 1 || streams < 1 || smallUp < 0 || smallDown < 0) {
            throw new IllegalArgumentException("copies need at least 1 lane of 1 piece of " + LEAST_PIECE
                    + " bytes, and a stream, got " + threads + " threads, " + lanes + " lanes, " + pieces + " pieces, " + pieceBytes
                    + " bytes, " + streams + " streams, small ones of " + smallUp + " and " + smallDown + " bytes");
        }
    }

    /** As this process is told, or else what is good. */
    static StagingSettings configured() {
        int threads = property("threads", Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 7));
        return new StagingSettings(threads, property("piece", 1 << 20), property("pieces", 2), property("lanes", 16),
                property("streams", 4), property("small-up", 64 << 10), property("small-down", 64 << 10));
    }

    private static int property(String name, int otherwise) {
        return Integer.getInteger("tilewright.staging." + name, otherwise);
    }

    /** How long pieces of a copy are: a short copy is divided too, so that several threads take part. */
    long pieceOf(long bytes) {
        long share = Math.ceilDiv(bytes, 2L * (threads + 1));
        return Math.clamp(Math.ceilDiv(share, LEAST_PIECE) * LEAST_PIECE, Math.min(pieceBytes, 128 << 10), pieceBytes);
    }
}
