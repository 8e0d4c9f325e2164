package dev.tilewright.hazard.explore;

/**
 * What a thread, or a copy that it started, does next in an order.
 *
 * @param step its number in the program, of a copy the one that started it
 * @param place the bytes that it touches, such as {@code ring+64}; empty for none
 * @param value what it reads or writes there, such as {@code 0x00000001}; empty for nothing, or where that is long
 * @param races whether nothing orders it and another access to these bytes
 * @param older whether it sees an older write than the last
 * @param tells whether it is one of the few that explain how the order ends
 */
public record Move(int block, int thread, int step, Kind kind, String place, String value, boolean races,
        boolean older, boolean tells) {
    /** A thread's step, or a part of an asynchronous copy. */
    public enum Kind { STEP, COPY_READS, COPY_WRITES, COPY_ENDS }
}
