package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.report.RaceVerdict;
import dev.tilewright.program.Operation;
import java.util.List;
import java.util.Optional;

/**
 * Looks for what is wrong where threads wait for groups of copies or products: a commit, a wait or a meeting that is
 * there in the wrong place. Each finder returns null where it finds nothing.
 */
record GroupCulprits(Clues clues, RaceFindings races) {
    /**
     * What is wrong if a commit is there for a copy whose group is open, and comes too early, too late or elsewhere.
     */
    RaceVerdict ofCommit(Race race) {
        return ofCommit(race, race.before().completion());
    }

    /** What is wrong if a wait leaves a group because a later copy was in none when the wait came. */
    RaceVerdict ofShallowWait(Race race) {
        CopyCompletion copy = race.before().completion();
        CopyCompletion open = copy.groups() == null ? null : copy.groups().openAtLastWait();
        if (open == null || open == copy) {
            return null;
        }
        RaceVerdict commit = ofCommit(race, open);
        return commit != null ? commit : races.groups().noCommitBeforeTheWait(race, open.step(),
                copy.groups().lastWait());
    }

    /** What is wrong if the commit that has closed a copy's group in a loop's next turn stands before the copy. */
    RaceVerdict ofCommitInTheNextTurn(Race race) {
        CopyCompletion copy = race.before().completion();
        int commit = copy.closedBy();
        return commit != 0 && clues.flow().shareLoop(commit, copy.step())
                && clues.flow().areNeighbours(commit, clues.flow().placeBetween(copy.step(), commit))
                ? races.groups().committedInTheNextTurn(race, commit) : null;
    }

    /** What is wrong if the wait that covers a copy is that of a later turn, and the two threads have met before it. */
    RaceVerdict ofWaitInTheNextTurn(Race race) {
        CopyCompletion copy = race.before().completion();
        GroupWait wait = copy.groups() == null ? null : copy.groups().lastWait();
        if (wait == null || wait.step() < copy.step() || !clues.flow().shareLoop(wait.step(), copy.step())
                || !race.now().thread().isAfter(race.before().thread(), race.before().time())) {
            return null;
        }
        boolean misplaced = copy.closedBy() < copy.step() || copy.closedBy() > wait.step();
        return misplaced || wait.pending() > 0
                ? races.groups().waitedForInTheNextTurn(race, wait, misplaced ? copy.closedBy() : 0) : null;
    }

    /** What is wrong if the wait stands before the loop that has the use, in which groups are closed as well. */
    RaceVerdict ofWaitBeforeTheLoop(Race race) {
        CopyCompletion copy = race.before().completion();
        int wait = copy.groups().lastWait().step();
        int place = meetingBeforeUse(race);
        int loop = clues.flow().loopAround(place);
        boolean closes = loop != 0 && clues.flow().steps(o -> o instanceof Operation.Instruction i
                && copy.kind().isClosedBy(i.form())).stream().anyMatch(s -> clues.flow().shareLoop(s, place));
        return closes && wait < loop && clues.flow().steps(o -> Clues.isWait(o, copy.kind())).stream()
                .noneMatch(s -> clues.flow().shareLoop(s, place)) ? races.groups().waitsBeforeTheLoop(race,
                        copy.groups().lastWait(), place) : null;
    }

    /**
     * What is wrong if the thread that uses the bytes has waited, as the copying thread does, since the two have met:
     * the meeting after that wait is in a branch.
     */
    RaceVerdict ofMeetingInSomeTurns(Race race) {
        int wait = race.before().completion().groups().lastWait().step();
        CheckedThread user = clues.run().thread(race.now().thread());
        int use = race.now().step();
        boolean sinceTheyMet = user.orderingSteps().stream()
                .anyMatch(d -> d.step() == wait && d.time() >= user.lastSyncTime);
        return !sinceTheyMet || wait > use ? null : clues.flow().steps(Clues::isSync).stream()
                .filter(s -> s > wait && s < use && clues.flow().shareLoop(s, use)
                        && clues.flow().guardAround(s) > wait)
                .findFirst().map(s -> races.groups().meetsInSomeTurns(race, s, wait)).orElse(null);
    }

    /** What is wrong if all threads meet in each turn before a copy and a read behind it: the two are of one turn. */
    RaceVerdict ofCopyToWhatIsRead(Race race) {
        int copy = race.now().step();
        int read = race.before().step();
        if (race.now().completion().groups() == null || copy > read) {
            return null;
        }
        for (int at = copy; at != 0 && clues.flow().shareLoop(at, read); at = clues.flow().around(at)) {
            int sync = clues.flow().lastBefore(at, Clues::isSync);
            if (sync != 0 && clues.flow().around(sync) == clues.flow().around(at)) {
                return races.order().overwritesWhatIsRead(race);
            }
        }
        return null;
    }

    private RaceVerdict ofCommit(Race race, CopyCompletion copy) {
        CheckedThread copier = clues.run().thread(copy.thread());
        int loop = clues.flow().loopAround(copy.step());
        List<Integer> commits = clues.flow().steps(o -> o instanceof Operation.Instruction i
                && copy.kind().isClosedBy(i.form())).stream()
                .filter(s -> loop == 0 || clues.flow().shareLoop(s, copy.step())).toList();
        for (OrderingStep done : copier.orderingSteps()) {
            if (commits.contains(done.step()) && done.step() < copy.step() && done.event() < copy.startedAt()) {
                return races.groups().committedBeforeCopy(race, done.step(), copy.step());
            }
        }
        for (int commit : commits) {
            if (commit > copy.step() && clues.flow().mayPerform(clues.run().values(copier), commit)) {
                GroupWait wait = copy.groups().lastWait();
                return races.groups().committedAfterUse(race, commit, wait == null
                        || wait.event() < copy.startedAt() ? null
                        : wait);
            }
        }
        if (!commits.isEmpty()) {
            return races.groups().committedElsewhere(race, commits.getFirst(), copy.thread(),
                    clues.flow().guardAround(commits.getFirst()));
        }
        return null;
    }

    /** What is wrong if the wait for a copy's group follows the use, or precedes it, with no meeting after it. */
    RaceVerdict ofGroupWait(Race race) {
        CopyCompletion copy = race.before().completion();
        CheckedThread copier = clues.run().thread(copy.thread());
        int use = race.now().step();
        List<Integer> waits = clues.flow().steps(o -> Clues.isWait(o, copy.kind())).stream()
                .filter(s -> clues.flow().mayPerform(clues.run().values(copier), s)).toList();
        int loop = clues.flow().loopAround(use);
        for (int wait : waits) {
            if (wait < use && clues.flow().loopAround(wait) == loop && copy.thread() != race.now().thread()
                    && !clues.flow().isBetween(wait, use, Clues::isSync)) {
                Optional<Integer> sync = neighbouringSync(wait);
                return sync.isPresent() ? races.groups().syncBeforeTheWait(race, sync.get(), wait)
                        : races.groups().noSyncAfterTheWait(race, wait);
            }
        }
        Optional<Integer> later = waits.stream().filter(w -> w > use && clues.flow().loopAround(w) == loop).findFirst();
        if (later.isPresent() && waits.stream().noneMatch(w -> w < use && clues.flow().loopAround(w) == loop)) {
            return races.groups().usedBeforeTheGroupsWait(race, later.get(), meetingBeforeUse(race));
        }
        return null;
    }

    /** Where the copying thread has to have waited: the last meeting before the use, or the use itself. */
    int meetingBeforeUse(Race race) {
        int use = race.now().step();
        if (race.before().thread() == race.now().thread()) {
            return use;
        }
        // A use in a loop of its own has its meeting before that.
        int sync = 0;
        for (int at = use; at != 0 && sync == 0; at = clues.flow().loopAround(at)) {
            sync = clues.flow().lastBefore(at, Clues::isSync);
        }
        return sync == 0 ? use : sync;
    }

    /** Whether the thread of the later access has heard of the copying one since that has closed the copy's group. */
    boolean meetSinceCommit(Race race) {
        CopyCompletion copy = race.before().completion();
        ThreadClock reader = race.now().thread();
        return clues.run().thread(copy.thread()).orderingSteps().stream()
                .anyMatch(d -> d.step() == copy.closedBy() && reader.isAfter(copy.thread(), d.time()));
    }

    private Optional<Integer> neighbouringSync(int wait) {
        return clues.flow().steps(Clues::isSync).stream().filter(s -> clues.flow().areNeighbours(s, wait)).findFirst();
    }

    /**
     * Whether an access belongs before a copy, with nothing that makes it come before: neither of the two threads knows
     * what the other has done since they met last, and from there the access comes before the copy.
     */
    boolean belongsBeforeCopy(Race race) {
        ThreadClock copier = race.before().thread();
        ThreadClock other = race.now().thread();
        if (copier.block() != other.block() || copier == other || race.now().completion() != null
                || other.isAfter(copier, race.before().time())) {
            return false;
        }
        CheckedThread thread = clues.run().thread(other);
        int access = race.now().step();
        int copy = race.before().step();
        return copier.knows(other, Clock.IN_TIME) < thread.lastSyncTime && !clues.flow().areAlternatives(access, copy)
                && clues.flow().comesBefore(access, copy, thread.lastSync);
    }

    /**
     * What is wrong if another thread of the block waits for groups, which are its own alone, and the copying thread
     * does not. Who has groups of its own waits for those.
     */
    RaceVerdict ofForeignWait(Race race) {
        CopyCompletion copy = race.before().completion();
        CheckedThread copier = clues.run().thread(copy.thread());
        int loop = clues.flow().loopAround(copy.step());
        List<Integer> waits = clues.flow().steps(o -> Clues.isWait(o, copy.kind())).stream()
                .filter(s -> loop == 0 || clues.flow().shareLoop(s, copy.step())).toList();
        if (waits.stream().anyMatch(s -> clues.flow().mayPerform(clues.run().values(copier), s))) {
            return null;
        }
        for (int step : waits) {
            for (CheckedThread other : copier.cluster.threads()) {
                if (other.block() == copier.block() && clues.flow().surelyPerforms(clues.run().values(other), step)
                        && !startsSuch(other, copy)) {
                    return races.groups().waitOfAnotherThread(race, step, other.clock);
                }
            }
        }
        return null;
    }

    /** Whether a thread starts copies, or products, of the same sort itself. */
    private boolean startsSuch(CheckedThread thread, CopyCompletion copy) {
        return clues.flow().operation(copy.step()) instanceof Operation.Instruction like
                && clues.flow().steps(o -> o instanceof Operation.Instruction i
                        && i.form().getClass() == like.form().getClass()).stream()
                        .anyMatch(s -> clues.flow().surelyPerforms(clues.run().values(thread), s));
    }

    /** What is wrong if a __syncthreads stands right before the wait after which it belongs. */
    RaceVerdict ofSync(Race race) {
        CopyCompletion copy = race.before().completion();
        GroupWait wait = copy.groups() == null ? null : copy.groups().lastWait();
        if (wait == null || !copy.isWaitedFor()) {
            return null;
        }
        Optional<Integer> sync = neighbouringSync(wait.step());
        return sync.map(s -> races.groups().syncBeforeTheWait(race, s, wait.step())).orElse(null);
    }
}
