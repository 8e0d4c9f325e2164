package dev.tilewright.reference.state;

/**
 * What stands in the 64 bits that an arrival hands out. To the hardware they are opaque; here they hold the phase,
 * counted on where a barrier takes the place of another, which barrier it is of, and how many arrivals were pending
 * before (PTX ISA, "mbarrier.arrive", "mbarrier.pending_count").
 */
public final class PhaseToken {
    private static final int PENDING_BITS = 20;
    private static final int BARRIER_BITS = 15;
    private static final int PHASE_AT = PENDING_BITS + BARRIER_BITS;
    private static final int BARRIER_BYTES = 8;

    private PhaseToken() { }

    static long of(Mbarrier barrier, long phase, int pending) {
        return phase << PHASE_AT | (long) (barrier.address() / BARRIER_BYTES) << PENDING_BITS | pending;
    }

    static long phase(long token) {
        return token >>> PHASE_AT;
    }

    /** The shared address of the barrier that handed it out. */
    public static int address(long token) {
        return (int) (token >>> PENDING_BITS & (1 << BARRIER_BITS) - 1) * BARRIER_BYTES;
    }

    /** Arrivals that were pending before the one that it is from. */
    public static int pending(long token) {
        return (int) (token & (1 << PENDING_BITS) - 1);
    }
}
