package dev.tilewright.ptx.mbarrier;

/**
 * The written memory order of expect_tx and complete_tx, which is always relaxed (PTX ISA, "mbarrier.expect_tx").
 */
public enum TxOrder implements MbarrierOrder {
    /** Not written, which means CTA scope. */
    DEFAULT,
    RELAXED_CTA, RELAXED_CLUSTER
}
