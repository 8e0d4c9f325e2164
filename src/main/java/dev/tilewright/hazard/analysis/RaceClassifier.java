package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierNotes.LateAnnouncement;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.Gap;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.MapFindings;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.report.RaceVerdict;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.Ordering;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.hazard.shadow.ShadowListener;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** Decides of two accesses that nothing orders what sort of mistake it is. */
final class RaceClassifier implements ShadowListener {
    private final FindingSet findings;
    private final RaceFindings words;
    private final MapFindings mapWords;
    private RunState run;
    private HandOverCulprits handOvers;
    private GroupCulprits groups;
    private OrderCulprits orders;
    private Meetings meetings;
    /** Steps that have read bytes which nothing had written. */
    private final Set<Integer> readUnwritten = new HashSet<>();
    /** What was looked for once between two steps. */
    private enum Sought {
        /** A read that does not wait for what the other step writes. */
        WAIT,
        /** An arrival that does not follow the copies that it is for. */
        ARRIVAL,
        /** What one of two blocks waits for. */
        TOLD_VALUE,
        /** Any other step that is there and wrong. */
        ANY
    }

    private record Search(Sought what, int before, int now) { }

    private final Map<Search, Optional<RaceVerdict>> searches = new HashMap<>();

    RaceClassifier(FindingSet findings, RaceFindings words, MapFindings mapWords) {
        this.findings = findings;
        this.words = words;
        this.mapWords = mapWords;
    }

    /** The run whose accesses are classified. */
    void follow(Clues clues, HandOverCulprits ofHandOvers, Meetings together) {
        run = clues.run();
        handOvers = ofHandOvers;
        groups = new GroupCulprits(clues, words);
        orders = new OrderCulprits(clues, words);
        meetings = together;
    }

    /** A step has read bytes that nothing had written, and used their value. */
    void readUnwritten(int step) {
        readUnwritten.add(step);
    }

    @Override
    public void conflict(ShadowAccess before, ShadowAccess now, ByteRange bytes, int lane) {
        if (isBlamed(before) || isBlamed(now)) {
            return;
        }
        Race race = new Race(before, now, bytes);
        meetings.isWanted(race);
        if (before.isOfMap()) {
            findings.add(mapWords.changedInUse(race));
            return;
        }
        RaceVerdict verdict = verdict(race, lane);
        if (!findings.has(verdict)) {
            findings.add(words.of(verdict));
        }
    }

    private RaceVerdict verdict(Race race, int lane) {
        RaceVerdict waitless = race.bytes().shared() ? sought(Sought.WAIT, race, handOvers::ofReadWithoutWait) : null;
        ShadowAccess before = race.before();
        return waitless != null ? waitless : before.completion() == null ? afterOrdinaryAccess(race)
                : before.writes() ? afterCopyThatWrites(race, lane) : afterCopyThatReads(race);
    }

    private static boolean isBlamed(ShadowAccess access) {
        return access.completion() != null && access.completion().isBlamed();
    }

    // ---- what came before was done at once

    private RaceVerdict afterOrdinaryAccess(Race race) {
        ShadowAccess before = race.before();
        ShadowAccess now = race.now();
        ThreadClock thread = now.thread();
        Gap gap = gap(before, now, (t, wanted) -> t.hints().gapTo(before.thread(), before.time(), wanted),
                thread.hasHappened(before.thread(), before.time()));
        if (Ordering.areMeantToMeet(before, now) && Ordering.overlapInPart(before, now)) {
            return words.order().overlapInPart(race);
        }
        RaceVerdict plain = Finder.first(race, orders::ofPlainAccess, orders::ofTornUpdate);
        if (plain != null) {
            return plain;
        }
        if (before.writes() && now.isAsync() && thread.isAfter(before.thread(), before.time())) {
            RaceVerdict readers = orders.ofReadersFence(race);
            return readers != null ? readers
                    : found(race, orders::ofFence).orElseGet(() -> words.order().writtenWithoutProxyFence(race));
        }
        if (Ordering.areMeantToMeet(before, now)) {
            ShadowAccess small = before.thread().reaches(thread, before.scope()) ? now : before;
            return words.order().scopeTooSmall(race, small.step(), small.thread());
        }
        if (gap != null && (before.writes() || now.completion() == null || gap.reason() == Gap.Reason.SCOPE)) {
            return fallsShort(race, gap);
        }
        if (!race.bytes().shared() && before.thread().block() != thread.block()) {
            RaceVerdict told = sought(Sought.TOLD_VALUE, race, orders::ofToldValue);
            return told != null ? told : words.order().blocksNotOrdered(race);
        }
        return !before.writes() && now.completion() != null ? copyOverwritesRead(race)
                : found(race, handOvers::ofVainWait, handOvers.arrivals()::ofWeakArrival,
                        handOvers.arrivals()::ofArrivalForOthers,
                        handOvers.arrivals()::ofEarlyArrival, handOvers::ofWriteWithoutWait)
                        .orElseGet(() -> words.order().threadsNotOrdered(race));
    }

    /** What a finder says, which looks once for two steps; null for nothing. */
    private RaceVerdict sought(Sought what, Race race, Finder finder) {
        Search search = new Search(what, race.before().step(), race.now().step());
        Optional<RaceVerdict> known = searches.get(search);
        if (known == null) {
            known = Optional.ofNullable(finder.of(race));
            searches.put(search, known);
        }
        return known.orElse(null);
    }

    /** What the first of these finders says that says anything, which look once for two steps. */
    private Optional<RaceVerdict> found(Race race, Finder... finders) {
        // The other cluster may have ended.
        return race.before().thread().cluster() != race.now().thread().cluster() ? Optional.empty()
                : Optional.ofNullable(sought(Sought.ANY, race, r -> Finder.first(r, finders)));
    }

    /**
     * The step that would have ordered two accesses, were it stronger.
     *
     * @param find looks among what a thread has missed
     * @param happened whether the later thread knows that the earlier access has happened, so that another thread may
     *     have told it
     */
    private Gap gap(ShadowAccess before, ShadowAccess now, BiFunction<ThreadClock, Predicate<Gap>, Gap> find,
            boolean happened) {
        Predicate<Gap> wanted = gap -> !isAccess(gap, now) && !isAccess(gap, before);
        Gap own = find.apply(now.thread(), wanted);
        if (own != null) {
            return own;
        }
        for (CheckedThread other : happened ? run.thread(now.thread()).cluster.threads() : List.<CheckedThread>of()) {
            Gap gap = find.apply(other.clock, wanted);
            if (gap != null) {
                return gap;
            }
        }
        return null;
    }

    /** Whether what falls short is one of the two accesses itself. */
    private static boolean isAccess(Gap gap, ShadowAccess access) {
        return gap.step() == access.step() && gap.by() == access.thread();
    }

    private RaceVerdict fallsShort(Race race, Gap gap) {
        return switch (gap.reason()) {
            case NOT_ACQUIRED -> words.order().seenWithoutAcquire(race, gap.step());
            case NOT_RELEASED -> words.order().toldWithoutRelease(race, gap.step(), gap.by());
            case SCOPE -> words.order().scopeTooSmall(race, gap.step(), gap.by());
            case UNCHECKED -> words.order().valueDecidesNothing(race, gap.step());
            case PLAIN -> words.order().toldByPlainStore(race, gap.step());
        };
    }

    private RaceVerdict copyOverwritesRead(Race race) {
        if (readUnwritten.contains(race.before().step()) && race.now().completion().groups() != null) {
            // The read came before anything was written: it is what should have waited for the copy.
            return found(race.reversed(), groups::ofGroupWait)
                    .orElseGet(() -> words.order().threadsNotOrderedAfterCopy(race.reversed()));
        }
        return copyTooEarly(race);
    }

    /** @param race whose later access is the copy, whichever of the two came first */
    private RaceVerdict copyTooEarly(Race race) {
        PassedWait wait = run.thread(race.now().thread()).lastWait;
        Barrier barrier = wait == null ? null : wait.barrier();
        boolean readerArrives = wait != null && (barrier.lastArrival(race.before().thread()) >= 0
                || handOvers.handsOver(race.before(), barrier));
        if (race.now().completion().isUncounted()) {
            return words.handOvers().bytesNotAnnounced(race.reversed());
        }
        return readerArrives && wait.vain() ? words.handOvers().waitedForPastPhase(race, wait)
                : readerArrives && barrier.notes().overran() ? words.handOvers().phasesBeforeReaders(race, barrier)
                : overwrites(race);
    }

    private RaceVerdict overwrites(Race race) {
        return found(race, handOvers::ofOverwrite, groups::ofCopyToWhatIsRead)
                .orElseGet(() -> words.order().overwritesUnread(race));
    }

    // ---- what came before is a copy that writes

    private RaceVerdict afterCopyThatWrites(Race race, int lane) {
        ShadowAccess before = race.before();
        ShadowAccess now = race.now();
        CopyCompletion copy = before.completion();
        ThreadClock thread = now.thread();
        boolean started = thread.isAfter(before.thread(), before.time());
        Gap gap = gap(before, now, copy::gapTo, copy.isOverFor(thread));
        if (gap != null) {
            return fallsShort(race, gap);
        }
        RaceVerdict arrival = copy.kind() == Kind.CP_ASYNC_GROUP && race.bytes().shared() && !copy.isWaitedFor()
                ? sought(Sought.ARRIVAL, race, handOvers.arrivals()::ofPlainArrival) : null;
        if (arrival != null) {
            return arrival;
        }
        if (copy.kind() != Kind.BARRIER && before.thread().cluster() != thread.cluster()
                && (!started || copy.isWaitedFor())) {
            return words.order().blocksNotOrderedAfterCopy(race);
        }
        if (!started && !now.writes() && before.replaced() != null
                && Ordering.isOrdered(before.replaced(), now, lane)) {
            // The read comes after what the bytes held before, and knows nothing of the copy: it is the copy that came
            // too early.
            return copyTooEarly(race.reversed());
        }
        if (before.isAsync() && groups.belongsBeforeCopy(race)) {
            return now.writes() ? words.order().accessMayFollowTheCopy(race)
                    : words.order().overwritesUnread(race.reversed());
        }
        if (now.isAsync() && !before.isAsync() && copy.isKnownTo(thread, Clock.ORDERED)) {
            return words.order().copiedWithoutProxyFence(race);
        }
        if (copy.isWaitedFor()) {
            return found(race, groups::ofSync).orElseGet(() -> words.groups().waitedForByItsThreadOnly(race));
        }
        return copy.barrier() != null ? afterCopyOnBarrier(race, copy) : afterCopyInGroup(race, copy, started);
    }

    /** @param started whether the thread knows that the copy has started */
    private RaceVerdict afterCopyInGroup(Race race, CopyCompletion copy, boolean started) {
        ThreadClock thread = race.now().thread();
        GroupWait wait = copy.groups().lastWait();
        if (!started) {
            return found(race, handOvers::ofVainWait, groups::ofGroupWait)
                    .orElseGet(() -> words.order().threadsNotOrderedAfterCopy(race));
        }
        if (copy.groups().isOpen(copy)) {
            return notCommitted(race);
        }
        if (isAfter(wait, copy) && thread.isAfter(copy.thread(), wait.time())) {
            return found(race, groups::ofShallowWait, groups::ofCommitInTheNextTurn,
                    groups::ofWaitBeforeTheLoop, groups::ofMeetingInSomeTurns)
                    .orElseGet(() -> words.groups().waitTooShallow(race, wait));
        }
        return race.now().writes() ? words.groups().overwritesBeforeGroupLanded(race)
                : found(race, groups::ofGroupWait).orElseGet(() -> words.groups().readsBeforeGroupLanded(race,
                        groups.meetingBeforeUse(race)));
    }

    private RaceVerdict notCommitted(Race race) {
        return found(race, groups::ofCommit).orElseGet(() -> words.groups().groupNotCommitted(race));
    }

    private static boolean isAfter(GroupWait wait, CopyCompletion copy) {
        return wait != null && wait.event() > copy.startedAt();
    }

    private RaceVerdict afterCopyOnBarrier(Race race, CopyCompletion copy) {
        Barrier b = copy.barrier();
        LateAnnouncement late = b.notes().lateAnnouncement();
        PassedWait vain = b.notes().vainWait();
        if (copy.isUncounted()) {
            return words.handOvers().bytesNotAnnounced(race);
        }
        if (late != null && late.phase() == copy.phase()) {
            return words.handOvers().bytesAnnouncedLate(race);
        }
        if (vain != null && vain.event() > copy.startedAt()) {
            return words.handOvers().waitedForPhaseBefore(race, vain);
        }
        return race.now().writes() && race.now().completion() != null
                ? found(race, handOvers.arrivals()::ofWeakArrival, handOvers::ofEarlyCopy)
                        .orElseGet(() -> words.handOvers().overwritesBeforePhase(race))
                : found(race, handOvers::ofEarlyUse).orElseGet(() -> words.handOvers().readsBeforePhase(race));
    }

    // ---- what came before is a copy that reads

    private RaceVerdict afterCopyThatReads(Race race) {
        CopyCompletion copy = race.before().completion();
        boolean started = race.now().thread().isAfter(race.before().thread(), race.before().time());
        GroupWait wait = copy.groups() == null ? null : copy.groups().lastWait();
        Gap gap = gap(race.before(), race.now(), copy::gapTo, copy.isOverFor(race.now().thread()));
        if (gap != null) {
            return fallsShort(race, gap);
        }
        if (!race.bytes().shared() && race.before().thread().block() != race.now().thread().block()) {
            return words.order().blocksNotOrderedAfterReadingCopy(race);
        }
        if (groups.belongsBeforeCopy(race)) {
            return words.order().accessMayFollowTheCopy(race);
        }
        if (copy.isWaitedFor()) {
            return found(race, groups::ofWaitInTheNextTurn, groups::ofSync,
                    r -> copy.groups() == null ? null : handOvers.arrivals().ofEarlyArrival(r))
                    .orElseGet(() -> words.groups().waitedForByItsThreadOnly(race));
        }
        if (started && copy.barrier() == null && copy.groups() != null && copy.groups().isOpen(copy)) {
            return notCommitted(race);
        }
        return (copy.kind() == Kind.BULK_GROUP_READ || copy.kind() == Kind.WGMMA_GROUP) && isAfter(wait, copy)
                ? found(race, groups::ofCommitInTheNextTurn).orElseGet(() -> words.groups().waitTooShallow(race, wait))
                : found(race, groups::ofForeignWait).orElseGet(() ->
                        words.groups().sourceNotWaitedFor(race, groups.meetSinceCommit(race)));
    }
}
