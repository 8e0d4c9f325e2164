package dev.tilewright.oracle;

import dev.tilewright.hazard.HazardCode;
import java.util.EnumSet;
import java.util.Set;

/**
 * The rules by which the check accuses what no order shows in bytes, each by the heading of
 * {@code docs/memory-model.md} under which it stands.
 */
final class Strictness {
    private static final Set<HazardCode> RACES = EnumSet.of(HazardCode.MISSING_BARRIER, HazardCode.GLOBAL_RACE,
            HazardCode.FLAG_NOT_ACQUIRED);

    private static final Set<HazardCode> PHASES = EnumSet.of(HazardCode.WRONG_ARRIVAL_COUNT, HazardCode.WRONG_PARITY,
            HazardCode.PHASE_NOT_KNOWN, HazardCode.TX_LATE, HazardCode.TX_TOO_SMALL);

    private Strictness() {
    }

    /** The rule that explains the findings on a kernel all of whose orders leave the same bytes, or an empty text. */
    static String rule(Verdict verdict, Set<HazardCode> codes) {
        if (!verdict.races().isEmpty()) {
            return "The question: a race whose bytes come out the same";
        }
        if (verdict.meetings() && RACES.containsAll(codes)) {
            return "The question: accesses with a scope that are not made to come in any order";
        }
        if (verdict.phases() && PHASES.containsAll(codes)) {
            return "Happens before: a step at an mbarrier whose phase is left to chance";
        }
        return "";
    }
}
