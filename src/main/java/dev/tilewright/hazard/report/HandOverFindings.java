package dev.tilewright.hazard.report;

import dev.tilewright.NotNull;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.program.expression.SharedRegion;

/** What is said of races over bytes that mbarriers hand over, and copies that they count. */
public record HandOverFindings(ProgramNames names, MeetingPlaces meetings) {
    public HandOverFindings {
        NotNull.all("names, meetings", names, meetings);
    }

    public RaceVerdict waitedForPastPhase(Race race, PassedWait wait) {
        return race.is(HazardCode.WRONG_PARITY, "the wait for barrier " + wait.barrier().name()
                + " passed for a phase that was complete already", "wait for the parity of the phase that the readers "
                + "arrive in").at(wait.step());
    }

    public RaceVerdict phasesBeforeReaders(Race race, Barrier barrier) {
        return race.is(HazardCode.WRONG_ARRIVAL_COUNT, "barrier " + barrier.name()
                + " completes its phases before all readers have arrived", "initialise it with one arrival for each "
                + "reader").at(barrier.init().step());
    }

    /**
     * A thread arrives for the lanes of its warp, and has not met the one that touches the bytes before that.
     *
     * @param place the arrival, or what it is in that the lanes come to together
     */
    public RaceVerdict arrivesForOthers(Race race, int arrival, ThreadClock by, Barrier barrier, int place) {
        return race.is(race.overwrites() ? HazardCode.OVERWRITE_UNREAD : HazardCode.MISSING_BARRIER, "thread "
                + by.thread() + " arrives at barrier " + barrier.name() + " for its warp, and nothing orders what "
                + "thread " + race.before().thread().thread() + " does before that", "put __syncwarp() before step "
                + place).at(arrival, by.block());
    }

    /** The copying thread arrives by an ordinary arrival. */
    public RaceVerdict arrivesBesideCopies(Race race, int arrival, boolean stores) {
        return race.is(HazardCode.READ_IN_FLIGHT, "step " + arrival + " arrives at once, and not when the copies that "
                + "its thread has started have landed", stores
                ? "put cp.async.mbarrier.arrive before step " + arrival + ", at the same barrier"
                : "arrive there by cp.async.mbarrier.arrive.noinc")
                .atEarlier(arrival);
    }

    /** An arrival that follows copies comes before this copy. @param place behind which it belongs */
    public RaceVerdict arrivesBeforeCopies(Race race, int arrival, int place) {
        return race.is(HazardCode.READ_IN_FLIGHT, "step " + arrival + " follows the copies that its thread has started "
                + "by then, and comes before this one", "put it after the copy, step " + place)
                .atEarlier(arrival);
    }

    /** The reader went past its wait for the copies of these bytes because it was for a phase before. */
    public RaceVerdict readerWaitedForPastPhase(Race race, PassedWait wait) {
        return race.is(HazardCode.WRONG_PARITY, "the reader's wait for barrier " + wait.barrier().name()
                + " passed for a phase that was complete already", "wait for the parity of the phase that the copy "
                + "counts in; where it does, let it wait for the phase before first, or for a thread that has")
                .atEarlier(wait.step());
    }

    /** The reader's wait for what another thread writes passed because it was for a phase before. */
    public RaceVerdict readAfterVainWait(Race race, PassedWait wait) {
        return race.is(HazardCode.WRONG_PARITY, "the wait for parity " + wait.parity() + " of barrier " + wait.barrier()
                .name() + " passed for a phase that was complete already", "wait for the parity of the phase that the "
                + "writing thread arrives in").at(wait.step());
    }

    /** The copying thread waits for one stage and fills another. */
    public RaceVerdict waitedForAnotherStage(Race race, int wait, Barrier waited, Barrier filled) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the copying thread waits there for barrier " + waited.name()
                + ", and its copy is counted on " + filled.name(), "wait for the barrier of the stage that is filled")
                .at(wait);
    }

    /** The reader hands back another stage than the one it has read. */
    public RaceVerdict arrivesForAnotherStage(Race race, int arrival, ThreadClock reader, Barrier waited) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the copying thread has waited for barrier " + waited.name()
                + ", and the reader arrives, in step " + arrival + ", for another stage than the one that it has "
                + "waited for", "arrive at the barrier of the stage that was read").at(arrival, reader.block());
    }

    /** The reader hands the bytes back, and reads them then. */
    public RaceVerdict arrivesBeforeReading(Race race, int arrival, Barrier barrier) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the reader arrives at barrier " + barrier.name()
                + ", for which the copying thread waits, before it reads", "arrive after the read, step "
                + meetings.behind(race.earlier(), arrival)).atEarlier(arrival);
    }

    /** The arrival that would have ordered the two does not release. */
    public RaceVerdict arrivedWithoutRelease(Race race, int step, ThreadClock by) {
        return race.is(race.overwrites() ? HazardCode.OVERWRITE_UNREAD : race.before().completion() != null
                ? HazardCode.READ_IN_FLIGHT : HazardCode.MISSING_BARRIER, "thread " + by.thread()
                + " arrives with .relaxed, which makes known nothing of what it did before",
                "let that arrival release, as it does without .relaxed").at(step, by.block());
    }

    /**
     * A thread arrives where the other one waits, and touches the bytes then.
     *
     * @param done the wait for the copy by which it touches them; null for none
     */
    public RaceVerdict arrivesBeforeTouching(Race race, int arrival, Barrier barrier, GroupWait done) {
        return race.is(done == null ? HazardCode.MISSING_BARRIER : HazardCode.OVERWRITE_IN_STORE, "thread "
                + race.before().thread().thread() + " arrives at barrier " + barrier.name()
                + ", for which the other thread has waited, before " + (done == null ? "it touches the bytes"
                : "its copy has read the bytes"), "arrive after step " + meetings.behind(done == null ? race.earlier()
                : done.step(), arrival)).atEarlier(arrival);
    }

    public RaceVerdict bytesNotAnnounced(Race race) {
        Barrier barrier = race.before().completion().barrier();
        return race.is(HazardCode.TX_TOO_SMALL, completesWithoutBytes(race) + ", because no thread announces them",
                "announce them with the arrival: mbarrier.arrive.expect_tx").at(barrier.arrivalStep());
    }

    public RaceVerdict bytesAnnouncedLate(Race race) {
        Barrier barrier = race.before().completion().barrier();
        return race.is(HazardCode.TX_LATE, completesWithoutBytes(race) + ", because they are announced after the "
                + "arrival", "announce the bytes before the arrival, or with it: mbarrier.arrive.expect_tx")
                .at(barrier.notes().lateAnnouncement().step());
    }

    public RaceVerdict waitedForPhaseBefore(Race race, PassedWait wait) {
        CopyCompletion copy = race.before().completion();
        if (wait.parity() == (copy.phase() & 1)) {
            return race.is(HazardCode.WRONG_PARITY, "the wait for parity " + wait.parity() + " of barrier "
                    + wait.barrier().name() + ", that of phase " + copy.phase() + ", passes as well while phase "
                    + (copy.phase() - 1) + " is not complete, and nothing makes sure that it is by then",
                    "let the reader wait for phase " + (copy.phase() - 1) + " first, or for a thread that has")
                    .at(wait.step());
        }
        return race.is(HazardCode.WRONG_PARITY, "the wait for barrier " + wait.barrier().name()
                + " passed for the phase before that of the copy", "wait for parity " + (copy.phase() & 1)
                + ", that of phase " + copy.phase()).at(wait.step());
    }

    /** The copy writes one stage, of which an earlier one may be in flight, and is counted for another. */
    public RaceVerdict copiesToTheStageBefore(Race race, Barrier counting) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "this copy is counted on barrier " + counting.name() + ", the "
                + "earlier one on " + race.before().completion().barrier().name() + ", whose stage these bytes are of",
                "copy to the stage whose barrier counts the copy");
    }

    /** Readers went past a wait for a copy, and arrive twice in one phase of what the copying thread waits for. */
    public RaceVerdict readersArriveTwice(Race race, Barrier empty, PassedWait wait, int block) {
        return race.is(HazardCode.WRONG_PARITY, "readers of block " + block + " arrive twice in one phase of barrier "
                + empty.name() + ", as their wait for barrier " + wait.barrier().name()
                + " passed for a phase that was complete already", "wait for the parity of the phase that the copy "
                + "counts in").at(wait.step(), block);
    }

    /** Stages are handed back, and no thread waits for that. @param place before which the wait belongs */
    public RaceVerdict readersNotAwaited(Race race, SharedRegion array, int place) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "no step waits for the barriers '" + array.name() + "', at which "
                + "the readers arrive", "wait for '" + array.name() + "' before step " + place);
    }

    public RaceVerdict overwritesBeforePhase(Race race) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the earlier copy may not have landed", "wait first for "
                + phase(race) + ", and until its bytes have been read");
    }

    public RaceVerdict readsBeforePhase(Race race) {
        return race.is(HazardCode.READ_IN_FLIGHT, "thread " + race.now().thread().thread() + " has not waited for "
                + phase(race) + ", nor met a thread that has", "wait for it before step " + race.later())
                .because(Cause.phaseNotWaitedFor(arrayOf(race.before().completion().barrier())));
    }

    /**
     * Bytes are touched that are handed over by mbarriers, and who touches them waits for none.
     *
     * @param later a wait; 0 for none
     * @param place before which the wait belongs
     */
    public RaceVerdict readsWithoutWait(Race race, SharedRegion array, int later, int place) {
        boolean one = array.bytes() == ProgramNames.BARRIER_BYTES;
        String barriers = (one ? "barrier '" : "the barriers '") + array.name()
                + "', by which the " + (race.now().writes() ? "other" : "writing") + " thread hands them over";
        return race.is(race.before().completion() == null ? HazardCode.MISSING_BARRIER : HazardCode.READ_IN_FLIGHT,
                later == 0 ? "thread " + race.now().thread().thread() + (one ? " does not wait for "
                : " waits for none of ") + barriers : names.location(later) + ", which waits for " + barriers
                + ", comes after that", later == 0 ? "wait for '" + array.name() + "' before step " + place
                : "put that wait before step " + place).because(Cause.phaseNotWaitedFor(array.name()));
    }

    /** The reader's wait would tell it, if it acquired. */
    public RaceVerdict waitedRelaxed(Race race, int wait) {
        return race.is(HazardCode.READ_IN_FLIGHT, "the wait for " + phase(race)
                + " is .relaxed, which makes nothing known that came before", "let that wait acquire, as it does "
                + "without .relaxed, or put a fence after it").at(wait);
    }

    /** The reader waits for one stage and reads another. */
    public RaceVerdict readAfterWaitForAnotherStage(Race race, int wait, Barrier waited, Barrier counting) {
        return race.is(HazardCode.READ_IN_FLIGHT, "it waits for barrier " + waited.name()
                + ", and the copy of these bytes is counted on " + counting.name(),
                "wait for the barrier of the stage that is read and handed back").at(wait);
    }

    /** A copy is counted on another barrier than the one on which its bytes are announced. */
    public RaceVerdict copyCountsOnAnotherBarrier(Race race, Barrier counting, Barrier announced) {
        return race.is(HazardCode.READ_IN_FLIGHT, "the copy is counted on barrier " + counting.name()
                + ", its bytes are announced on " + announced.name() + ", and for that one the reader has waited",
                "let the copy complete on the barrier on which its bytes are announced")
                .atEarlier(race.earlier());
    }

    /** The reader has waited for one stage, and reads, or the copy writes, another. */
    public RaceVerdict readsAnotherStage(Race race, int wait, Barrier waited, Barrier counting) {
        return race.is(HazardCode.READ_IN_FLIGHT, "the reader has waited, in " + names.location(wait) + ", for barrier "
                + waited.name() + ", and the copy of these bytes is counted on " + counting.name(),
                "read the bytes of the stage that was waited for, and copy to that stage");
    }

    /** The copy writes one stage, and is counted for another. */
    public RaceVerdict copiesToAnotherStage(Race race, Barrier counting) {
        return race.is(HazardCode.READ_IN_FLIGHT, "the copy is counted on barrier " + counting.name()
                + ", and these bytes are of another stage", "copy to the stage whose barrier counts the copy")
                .atEarlier(race.earlier());
    }

    /** A thread waits for one stage, and touches another. */
    public RaceVerdict touchesAnotherStage(Race race, int wait, Barrier waited) {
        return race.is(HazardCode.MISSING_BARRIER, "thread " + race.now().thread().thread() + " has waited, in "
                + names.location(wait) + ", for barrier " + waited.name() + ", and these bytes are of another stage",
                "touch the bytes of the stage that was waited for");
    }

    /** A thread touches bytes of a stage that it has handed over. */
    public RaceVerdict touchesWhatItHandedOver(Race race, int arrival, Barrier barrier) {
        return race.is(HazardCode.MISSING_BARRIER, "thread " + race.before().thread().thread()
                + " has handed these bytes over before, at barrier " + barrier.name() + " in step " + arrival
                + ", and touches them for another stage", "touch the bytes of the stage that is handed over next")
                .atEarlier(race.earlier());
    }

    /** The wait for the copy follows the use of its bytes. */
    public RaceVerdict readBeforeTheWait(Race race, int wait) {
        return race.is(HazardCode.READ_IN_FLIGHT, names.location(wait) + ", which waits for " + phase(race)
                + ", comes after that", "wait before step " + race.later());
    }

    private static String arrayOf(Barrier barrier) {
        return barrier.name().replaceFirst("\\[.*", "");
    }

    private static String phase(Race race) {
        CopyCompletion copy = race.before().completion();
        return "phase " + copy.phase() + " of barrier " + copy.barrier().name();
    }

    private static String completesWithoutBytes(Race race) {
        CopyCompletion copy = race.before().completion();
        return "phase " + (copy.phase() - 1) + " of barrier " + copy.barrier().name() + " completes without the bytes";
    }
}
