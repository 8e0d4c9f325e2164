package dev.tilewright.ptx;

/** The memory that threads share: where an address points, and how it is written (PTX ISA, "State Spaces"). */
public enum Space implements Qualifier {
    /** Not said: a 64-bit generic address. */
    GENERIC,
    GLOBAL,
    /** The block's own shared memory, as every version spells it. */
    SHARED,
    /** The block's own shared memory, as it is spelled since there are clusters. */
    SHARED_CTA,
    /** The shared memory of any block of the cluster. */
    SHARED_CLUSTER;

    @Override
    public String text() {
        return this == GENERIC ? "" : Qualifier.super.text().replace("_", "::");
    }
}
