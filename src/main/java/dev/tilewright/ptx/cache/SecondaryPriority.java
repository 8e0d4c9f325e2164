package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.Qualifier;
import java.util.Locale;

/** How L2 evicts the lines that do not get a policy's primary priority (PTX ISA, "createpolicy"). */
public enum SecondaryPriority implements Qualifier {
    /** Not written, which means unchanged. */
    DEFAULT,
    EVICT_FIRST,
    EVICT_UNCHANGED;

    @Override
    public String text() {
        return this == DEFAULT ? "" : ".L2::" + name().toLowerCase(Locale.ROOT);
    }
}
