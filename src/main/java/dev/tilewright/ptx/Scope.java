package dev.tilewright.ptx;

/** The threads that an instruction's order reaches (PTX ISA, "Scope"). */
public enum Scope implements Qualifier {
    /** The thread's own block. */
    CTA(".cta"),
    /** The blocks of its cluster. */
    CLUSTER(".cluster"),
    /** Every thread on its GPU. */
    GPU(".gpu"),
    /** Every thread of the program, the host and other GPUs too. */
    SYS(".sys");

    private final String text;

    Scope(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
