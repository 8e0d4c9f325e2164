package dev.tilewright.ptx;

/** The threads that an instruction's order reaches (PTX ISA, "Scope"). */
public enum Scope implements Qualifier {
    /** The thread's own block. */
    CTA,
    /** The blocks of its cluster. */
    CLUSTER,
    /** Every thread on its GPU. */
    GPU,
    /** Every thread of the program, the host and other GPUs too. */
    SYS
}
