package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.Qualifier;

/** What becomes of the lines of L2 that a policy's primary priority is not for (PTX ISA, "createpolicy"). */
public enum SecondaryPriority implements Qualifier {
    /** Not written, which means unchanged. */
    DEFAULT(""),
    EVICT_FIRST(".L2::evict_first"),
    EVICT_UNCHANGED(".L2::evict_unchanged");

    private final String text;

    SecondaryPriority(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
