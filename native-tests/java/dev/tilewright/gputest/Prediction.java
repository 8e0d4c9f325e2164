package dev.tilewright.gputest;

import dev.tilewright.gputest.MutantOutcome.Kind;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import java.util.EnumSet;
import java.util.Set;

/** What the hazard check lets one expect of hardware. */
final class Prediction {

    private Prediction() {
    }

    /** What may happen, by the codes of all findings; only FINE, if there are none. */
    static Set<Kind> of(HazardReport report) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        report.codes().forEach(code -> kinds.addAll(of(code)));
        return kinds.isEmpty() ? EnumSet.of(Kind.FINE) : kinds;
    }

    private static Set<Kind> of(HazardCode code) {
        return switch (code) {
            case DEADLOCK, TX_TOO_LARGE -> EnumSet.of(Kind.HANG);
            case FAULT, MAP_CHANGE_NOT_FENCED -> EnumSet.of(Kind.FAULT, Kind.WRONG_BYTES);
            // A phase that completes too early lets bytes be read too early, or is not the one that is waited for.
            case TX_TOO_SMALL, TX_LATE, WRONG_PARITY, WRONG_ARRIVAL_COUNT, BARRIER_NOT_INITIALISED,
                    BARRIER_INIT_NOT_VISIBLE, MULTICAST_MISSING_CTA -> EnumSet.of(Kind.HANG, Kind.WRONG_BYTES);
            // Who leaves out a wait gets ahead of its ring, too: one cause is one finding, and the hang has none.
            case READ_IN_FLIGHT -> EnumSet.of(Kind.HANG, Kind.WRONG_BYTES);
            default -> EnumSet.of(Kind.WRONG_BYTES);
        };
    }
}
