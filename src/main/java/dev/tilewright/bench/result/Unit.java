package dev.tilewright.bench.result;

/** What a figure counts. */
public enum Unit {
    MICROSECONDS("us", false),
    MILLISECONDS("ms", false),
    /** 10^9 bytes in a second. */
    GIGABYTES_PER_SECOND("GB/s", true),
    /** 10^6 bytes in a second. */
    MEGABYTES_PER_SECOND("MB/s", true),
    /** 10^12 operations in a second; a multiplication and an addition are two. */
    TERAFLOPS("TFLOP/s", true),
    /** Pieces of work in a second. */
    PER_SECOND("1/s", true),
    BYTES("bytes", false);

    private final String symbol;
    private final boolean more;

    Unit(String symbol, boolean more) {
        this.symbol = symbol;
        this.more = more;
    }

    /** Whether a greater figure is the better one. */
    public boolean isMoreBetter() {
        return more;
    }

    /** Its symbol, such as {@code GB/s}. */
    @Override
    public String toString() {
        return symbol;
    }
}
