package dev.tilewright.oracle;

import dev.tilewright.hazard.HazardCode;
import java.util.Set;

/**
 * The rules by which the check accuses what no order shows in bytes, each by the heading of {@code docs/memory-model.md}
 * under which it stands.
 */
final class Strictness {
    private Strictness() {
    }

    /** The rule that explains the findings on a kernel all of whose orders leave the same bytes, or an empty text. */
    static String rule(Verdict verdict, Set<HazardCode> codes) {
        return !verdict.races().isEmpty() ? "The question: a race whose bytes come out the same" : "";
    }
}
