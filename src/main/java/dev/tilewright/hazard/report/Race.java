package dev.tilewright.hazard.report;

import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.hazard.shadow.Span;

/** Two accesses to the same bytes that nothing orders. @param bytes the first of them that both touch, of one size */
public record Race(ShadowAccess before, ShadowAccess now, Span bytes) {

    /** The same with the later access as the one that should have waited. */
    public Race reversed() {
        return new Race(now, before, bytes);
    }
}
