package dev.tilewright.bench.result;

/** What is known of a measurement's output. */
public enum Verdict {
    /** Every byte of it was compared with what it has to be. */
    VERIFIED,
    /** It was compared, and differs. */
    WRONG,
    /** There is none, such as of an empty kernel. */
    NO_OUTPUT,
    /** Nothing was measured; the row says why. */
    NOT_RUN
}
