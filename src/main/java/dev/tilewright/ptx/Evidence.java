package dev.tilewright.ptx;

/** How it is known what Tilewright's reference makes of a form on the CPU. */
public enum Evidence {
    /** Held against a Hopper GPU: recordings, or tests that compare byte for byte. */
    MEASURED("measured"),
    /** By the PTX ISA's text alone: no GPU that has the form was at hand. */
    DOCUMENTED("documented, not measured"),
    /** An instruction whose results are approximate and differ between GPUs: the reference refuses the form. */
    INEXACT("not exact, differs between GPUs"),
    /** The form is emitted, and not run on the CPU. */
    NOT_RUN("emitted, not run on the CPU");

    private final String title;

    Evidence(String title) {
        this.title = title;
    }

    /** For people. */
    public String title() {
        return title;
    }
}
