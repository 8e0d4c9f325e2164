package dev.tilewright.ptx;

/** The memory that threads share: where an address points, and how it is written (PTX ISA, "State Spaces"). */
public enum Space implements Qualifier {
    /** Not said: a 64-bit generic address. */
    GENERIC(""),
    GLOBAL(".global"),
    /** The block's own shared memory, as every version spells it. */
    SHARED(".shared"),
    /** The block's own shared memory, as it is spelled since there are clusters. */
    SHARED_CTA(".shared::cta"),
    /** The shared memory of any block of the cluster. */
    SHARED_CLUSTER(".shared::cluster");

    private final String text;

    Space(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
