package dev.tilewright.ptx.mbarrier;

/** The memory order of a wait for an mbarrier once the phase has completed (PTX ISA, "mbarrier.test_wait"). */
public enum WaitOrder implements MbarrierOrder {
    /** Not written, which means the first of the others. */
    DEFAULT,
    ACQUIRE_CTA, ACQUIRE_CLUSTER, RELAXED_CTA, RELAXED_CLUSTER
}
