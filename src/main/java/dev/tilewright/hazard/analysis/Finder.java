package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceVerdict;

/** Looks for a step that is there and is not as it should be, which is the one at fault then. */
interface Finder {
    /** What is wrong with it; null where none is found. */
    RaceVerdict of(Race race);

    /** What the first of several says that finds anything; null where none does. */
    static RaceVerdict first(Race race, Finder... finders) {
        for (Finder finder : finders) {
            RaceVerdict found = finder.of(race);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
