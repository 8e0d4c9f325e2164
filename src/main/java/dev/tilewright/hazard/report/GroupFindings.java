package dev.tilewright.hazard.report;

import dev.tilewright.NotNull;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.async.CopyGroups;
import dev.tilewright.hazard.order.ThreadClock;
import java.util.function.Supplier;

/** What is said of races with copies and products that are waited for by groups. */
public record GroupFindings(ProgramNames names, MeetingPlaces meetings) {
    public GroupFindings {
        NotNull.all("names, meetings", names, meetings);
    }

    /** A __syncthreads comes before the wait that it should come after. */
    public RaceVerdict syncBeforeTheWait(Race race, int sync, int wait) {
        return race.is(race.before().writes() ? HazardCode.MISSING_BARRIER : HazardCode.OVERWRITE_IN_STORE,
                "that __syncthreads() comes before the copy is waited for, in " + names.location(wait),
                "put it after that wait").at(sync);
    }

    /** Nothing tells another thread of the wait for a copy, which it overtakes or whose bytes it touches. */
    public RaceVerdict waitedForByItsThreadOnly(Race race) {
        return race.is(race.before().writes() ? HazardCode.MISSING_BARRIER : HazardCode.OVERWRITE_IN_STORE,
                "the thread that started the " + race.noun() + " has waited for it, but " + OrderFindings.TWO_THREADS,
                meetAfterWait(race));
    }

    public RaceVerdict groupNotCommitted(Race race) {
        return race.is(HazardCode.GROUP_NOT_COMMITTED, "no commit has closed the " + race.noun()
                + "'s group, so that no wait covers it", "commit the group after the " + race.noun())
                .atEarlier(race.earlier()).because(Cause.notCommitted(race.before().completion().kind()));
    }

    /** The commit came before the copy, which belongs to the next group. */
    public RaceVerdict committedBeforeCopy(Race race, int commit, int copy) {
        return race.is(HazardCode.GROUP_NOT_COMMITTED, "step " + commit + " closed a group before the copy started, "
                + "and no commit has closed the copy's own", "put it after the copy, step "
                + meetings.behind(copy, commit)).atEarlier(commit);
    }

    /** A group is closed a turn of the loop too late. */
    public RaceVerdict committedInTheNextTurn(Race race, int commit) {
        CopyCompletion copy = race.before().completion();
        boolean reads = copy.kind() == Kind.BULK_GROUP_READ;
        return race.is(reads ? HazardCode.OVERWRITE_IN_STORE : HazardCode.WAIT_TOO_SHALLOW, leaves(race, copy.groups()
                .lastWait(), reads ? "unread" : "in flight") + ", as step " + commit + ", which closes it, stands "
                + "before the copy", "put step " + commit + " after step " + meetings.behind(copy.step(), commit))
                .atEarlier(commit);
    }

    /**
     * The wait that covers a copy is that of a later turn, after the copying thread has let the other one go on.
     *
     * @param commit the step that closes the copy's group, where it is misplaced; 0 where the wait is too shallow
     */
    public RaceVerdict waitedForInTheNextTurn(Race race, GroupWait wait, int commit) {
        int copy = race.earlier();
        return race.is(HazardCode.OVERWRITE_IN_STORE, "step " + wait.step() + " waits for the copy's group only in a "
                + "later turn, after the copying thread has let the other one go on" + (commit == 0 ? ""
                : commit < copy ? ", as step " + commit + ", which closes it, stands before the copy"
                : ", as step " + commit + ", which closes it, stands after that wait"), commit == 0
                ? "let that wait leave fewer groups pending" : commit < copy
                ? "put step " + commit + " after step " + meetings.behind(copy, commit)
                : "put step " + commit + " before step " + wait.step())
                .at(wait.step(), race.before().completion().thread().block());
    }

    /** The wait is performed once, and groups are closed in each turn. @param place before which it belongs */
    public RaceVerdict waitsBeforeTheLoop(Race race, GroupWait wait, int place) {
        return atWait(race, wait, HazardCode.WAIT_TOO_SHALLOW, leaves(race, wait, "in flight")
                + ", and stands before the loop that closes the others", "put step " + wait.step() + " before step "
                + place);
    }

    /** The meeting after the wait is in a branch. */
    public RaceVerdict meetsInSomeTurns(Race race, int meeting, int wait) {
        return race.is(HazardCode.MISSING_BARRIER, names.location(meeting) + ", which comes after the wait for the "
                + "copy, is not performed in all turns", "put step " + meeting + " after step " + wait).at(meeting);
    }

    /** A wait counts groups, and a copy before it is in none. */
    public RaceVerdict noCommitBeforeTheWait(Race race, int copy, GroupWait wait) {
        return race.is(HazardCode.GROUP_NOT_COMMITTED, "step " + copy + " had copied before the wait for groups, and "
                + "no commit had closed its group, so that the wait left one group more", "commit the group after step "
                + meetings.behind(copy, wait.step())).atEarlier(copy);
    }

    /** The wait for the copy's group follows the use. @param place the use, or the meeting before it */
    public RaceVerdict usedBeforeTheGroupsWait(Race race, int wait, int place) {
        return race.is(HazardCode.READ_IN_FLIGHT, names.location(wait) + ", which waits for the copy's group, comes "
                + "after that", "wait before step " + place);
    }

    /** The copying thread's wait is there, and nothing tells other threads of it. */
    public RaceVerdict noSyncAfterTheWait(Race race, int wait) {
        return race.is(HazardCode.MISSING_BARRIER, names.location(wait) + " waits for the copies of its own thread "
                + "alone, and " + OrderFindings.TWO_THREADS, meetAfterWait(race, wait));
    }

    /** Another thread waits, for groups of its own. */
    public RaceVerdict waitOfAnotherThread(Race race, int wait, ThreadClock by) {
        return race.is(HazardCode.OVERWRITE_IN_STORE, "step " + wait + " waits in thread " + by.thread()
                + ", and for groups of that thread alone, but the copy is of thread " + race.before().thread().thread(),
                meetings.meet(race, "let the copying thread wait, and put ", " after that")).at(wait, by.block());
    }

    /** The commit comes after the use. @param wait for groups that the copying thread has passed; null for none */
    public RaceVerdict committedAfterUse(Race race, int commit, GroupWait wait) {
        return race.is(HazardCode.GROUP_NOT_COMMITTED, "step " + commit + ", which is to close the copy's group, comes "
                + "after that", wait == null ? "commit after the copy, and wait for the group before the use"
                : "put it before the wait for the group, step " + wait.step()).atEarlier(commit);
    }

    /** A commit is there that the copying thread does not perform. @param guard around it; 0 for none */
    public RaceVerdict committedElsewhere(Race race, int commit, ThreadClock copier, int guard) {
        return race.is(HazardCode.GROUP_NOT_COMMITTED, "thread " + copier.thread()
                + ", which copies, does not perform step " + commit + ": a commit closes the groups of its own thread "
                + "alone", guard == 0 ? "let the copying thread commit after the copy"
                : "let all threads that copy perform it: " + names.location(guard) + " lets only some")
                .at(commit, copier.block());
    }

    /** The wait leaves the copy's group in flight, or the bytes that it reads unread. */
    public RaceVerdict waitTooShallow(Race race, GroupWait wait) {
        if (!race.before().writes()) {
            return atWait(race, wait, HazardCode.OVERWRITE_IN_STORE, leaves(race, wait, "unread"), fixOf(race, wait));
        }
        return wait.read() ? atWait(race, wait, HazardCode.WAIT_TOO_SHALLOW, "step " + wait.step()
                + " waits only until the sources of groups have been read", "wait for the group itself, without .read")
                : atWait(race, wait, HazardCode.WAIT_TOO_SHALLOW, leaves(race, wait, "in flight"), fixOf(race, wait));
    }

    public RaceVerdict overwritesBeforeGroupLanded(Race race) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the earlier copy may not have landed", "copy to other bytes, or "
                + "wait first for its group, and until its bytes have been read");
    }

    /**
     * Bytes of a copy are read without a wait for its group; whether it is ever waited for shows later.
     *
     * @param place the use, or the meeting before it
     */
    public RaceVerdict readsBeforeGroupLanded(Race race, int place) {
        return race.is(HazardCode.READ_IN_FLIGHT, "no wait for the copy's group lies between the two",
                "wait for the group before step " + place).unlessNeverWaitedFor(race.before().completion())
                .because(race.before().completion().closedBy() == 0 ? null : Cause.notWaitedFor(race.before()
                .completion().closedBy()));
    }

    /** @param meets whether the two threads meet between the copy and the access */
    public RaceVerdict sourceNotWaitedFor(Race race, boolean meets) {
        CopyCompletion copy = race.before().completion();
        return race.is(HazardCode.OVERWRITE_IN_STORE, "nothing waits until the " + race.noun() + " has read them",
                switch (copy.kind()) {
                    case BULK_GROUP_READ -> "put cp.async.bulk.wait_group.read 0 after step " + copy.closedBy()
                            + ", which closes its group" + (meets ? "" : ", and let the two threads meet after that");
                    case WGMMA_GROUP -> "wait for its group with wgmma.wait_group first";
                    case CP_ASYNC_GROUP, BULK_GROUP_WRITE, BARRIER -> "wait for the end of the copy first";
                }).because(copy.closedBy() == 0 ? null : Cause.notWaitedFor(copy.closedBy()));
    }

    /** After the wait of the thread that copies, where all come. */
    private Supplier<String> meetAfterWait(Race race) {
        CopyGroups groups = race.before().completion().groups();
        return groups == null || groups.lastWait() == null ? meetings.meet(race, "put ", " after the wait")
                : meetAfterWait(race, groups.lastWait().step());
    }

    private Supplier<String> meetAfterWait(Race race, int wait) {
        if (race.earlier() == race.later()) {
            return meetings.meetBetweenTheTwo(race, "");
        }
        int place = meetings.place(wait, race.later());
        return meetings.meet(race, "put ", " after the wait" + (place == 0 || place == wait ? ""
                : ", behind step " + place));
    }

    private String leaves(Race race, GroupWait wait, String how) {
        String step = "step " + wait.step();
        if (!race.before().completion().isCommittedBefore(wait)) {
            return step + " waits for the groups committed by then, and the copy's group was committed later";
        }
        return step + (wait.pending() == 1 ? " leaves 1 group " + how + ", which is the " + race.noun() + "'s"
                : " leaves " + wait.pending() + " groups " + how + ", the " + race.noun() + "'s among them");
    }

    private static String fixOf(Race race, GroupWait wait) {
        return race.before().completion().isCommittedBefore(wait) ? "let that wait leave fewer groups pending"
                : "commit the copy's group before that wait";
    }

    /** The wait is at fault. */
    private static RaceVerdict atWait(Race race, GroupWait wait, HazardCode code, String wanted, String fix) {
        return race.is(code, wanted, fix).at(wait.step(), race.before().completion().thread().block())
                .because(Cause.tooShallow(wait.step()));
    }
}
