package dev.tilewright.ptx.mbarrier;

/** The memory order of an arrival at an mbarrier, and its scope (PTX ISA, "mbarrier.arrive"). */
public enum ArriveOrder implements MbarrierOrder {
    /** Not written, which means the first of the others. */
    DEFAULT,
    RELEASE_CTA, RELEASE_CLUSTER, RELAXED_CTA, RELAXED_CLUSTER
}
