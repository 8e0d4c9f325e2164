package dev.tilewright.builder;

/** How threads learn that a bulk copy has landed: the two ways to wait for an mbarrier's phase. */
public enum BarrierWait {
    /** Each waiting thread knows the phase by its parity, 0 or 1, from the turn of the loop. */
    PARITY,
    /** Each waiting thread arrives itself and waits with the token that the arrival gave it. */
    TOKEN
}
