package dev.tilewright.hazard.report;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.CopyCompletion;
import java.util.function.Supplier;

/**
 * What was decided of a race.
 *
 * @param race in the order in which it is told
 * @param step at fault
 * @param block of the step
 * @param wanted what would have ordered the two
 * @param fix what to change, as it is known when the run is over
 * @param undecided a copy that makes it another mistake if no thread ever waits for its group; null for none
 * @param cause what other findings may come from as well; null for none
 */
public record RaceVerdict(Race race, HazardCode code, int step, int block, String wanted, Supplier<String> fix,
        CopyCompletion undecided, Cause cause) {

    /** Another step of the later access's block is at fault. */
    RaceVerdict at(int other) {
        return at(other, block);
    }

    /** Another step of the earlier access's block is at fault. */
    RaceVerdict atEarlier(int other) {
        return at(other, race.before().thread().block());
    }

    RaceVerdict at(int other, int of) {
        return new RaceVerdict(race, code, other, of, wanted, fix, undecided, cause);
    }

    RaceVerdict because(Cause common) {
        return new RaceVerdict(race, code, step, block, wanted, fix, undecided, common);
    }

    RaceVerdict unlessNeverWaitedFor(CopyCompletion copy) {
        return new RaceVerdict(race, code, step, block, wanted, fix, copy, cause);
    }
}
