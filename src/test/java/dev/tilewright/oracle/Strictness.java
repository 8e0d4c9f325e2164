package dev.tilewright.oracle;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.explore.Exploration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The rules by which the check accuses what no order shows in bytes, each by the heading of
 * {@code docs/memory-model.md} under which it stands.
 */
final class Strictness {
    private static final String RACE = "The question: a race whose bytes come out the same";
    private static final String MEETING = "The question: accesses with a scope that are not made to come in any order";
    private static final String PHASE = "Happens before: a step at an mbarrier whose phase is left to chance";
    private static final String BYTES = "Asynchronous copies: announced bytes that no copy brings and no wait needs";

    private static final Set<HazardCode> OF_RACES = EnumSet.of(HazardCode.READ_IN_FLIGHT, HazardCode.OVERWRITE_UNREAD,
            HazardCode.OVERWRITE_IN_STORE, HazardCode.MISSING_BARRIER, HazardCode.MISSING_PROXY_FENCE,
            HazardCode.WAIT_TOO_SHALLOW, HazardCode.GROUP_NOT_COMMITTED, HazardCode.GROUP_NEVER_WAITED,
            HazardCode.REMOTE_AFTER_EXIT, HazardCode.FLAG_NOT_ACQUIRED, HazardCode.SCOPE_TOO_SMALL,
            HazardCode.GLOBAL_RACE);
    private static final Set<HazardCode> OF_MEETINGS = EnumSet.of(HazardCode.MISSING_BARRIER, HazardCode.GLOBAL_RACE,
            HazardCode.FLAG_NOT_ACQUIRED);
    private static final Set<HazardCode> OF_PHASES = EnumSet.of(HazardCode.WRONG_ARRIVAL_COUNT,
            HazardCode.WRONG_PARITY, HazardCode.PHASE_NOT_KNOWN, HazardCode.TX_LATE, HazardCode.TX_TOO_SMALL);

    private static final Set<HazardCode> OF_BYTES = EnumSet.of(HazardCode.TX_TOO_LARGE, HazardCode.TX_TOO_SMALL);

    private Strictness() {
    }

    /**
     * The rule that explains the findings on a kernel all of whose orders leave the same bytes.
     *
     * @return an empty text where there is a finding that none explains
     */
    static String rule(Exploration verdict, Set<HazardCode> codes) {
        String rule = "";
        Set<HazardCode> open = EnumSet.noneOf(HazardCode.class);
        open.addAll(codes);
        if (verdict.phases() && open.removeAll(OF_PHASES)) {
            rule = PHASE;
        }
        if (verdict.bytesLeft() && open.removeAll(OF_BYTES)) {
            rule = BYTES;
        }
        if (verdict.meetings() && verdict.races().isEmpty() && open.removeAll(OF_MEETINGS)) {
            rule = MEETING;
        }
        if (!verdict.races().isEmpty() && open.removeAll(OF_RACES)) {
            rule = RACE;
        }
        return open.isEmpty() ? rule : "";
    }
}
