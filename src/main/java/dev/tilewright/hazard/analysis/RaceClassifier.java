package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.Barrier.LateAnnouncement;
import dev.tilewright.hazard.async.BarrierWait;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.Gap;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.MapFindings;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.shadow.Ordering;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.hazard.shadow.ShadowListener;
import dev.tilewright.hazard.shadow.Span;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** Decides of two accesses that nothing orders what sort of mistake it is. */
final class RaceClassifier implements ShadowListener {
    private final RaceFindings findings;
    private final MapFindings mapFindings;
    private RunState run;
    private Culprits culprits;
    private Meetings meetings;
    /** Steps that have read bytes which nothing had written. */
    private final Set<Integer> readUnwritten = new HashSet<>();
    /** Whether a step was found that is there and wrong, by the two steps of a race. */
    private final Map<Long, Boolean> looked = new HashMap<>();
    /** Whether one of two steps reads, and does not wait, for what the other one writes. */
    private final Map<Long, Boolean> waitless = new HashMap<>();
    /** Whether an arrival does not follow the copies that it is for, by the same. */
    private final Map<Long, Boolean> arrivals = new HashMap<>();
    /** The same of two blocks of which one waits for the other. */
    private final Map<Long, Boolean> told = new HashMap<>();

    RaceClassifier(RaceFindings findings, MapFindings mapFindings) {
        this.findings = findings;
        this.mapFindings = mapFindings;
    }

    /** The run whose accesses are classified. */
    void follow(RunState of, Culprits by, Meetings together) {
        run = of;
        culprits = by;
        meetings = together;
    }

    /** A step has read bytes that nothing had written, and used their value. */
    void readUnwritten(int step) {
        readUnwritten.add(step);
    }

    @Override
    public void conflict(ShadowAccess before, ShadowAccess now, Span bytes, int lane) {
        if (isBlamed(before) || isBlamed(now)) {
            return;
        }
        Race race = new Race(before, now, bytes);
        meetings.isWanted(race);
        if (before.isOfMap()) {
            mapFindings.changedInUse(race);
            return;
        }
        if (bytes.shared() && waitless.computeIfAbsent(key(race), _ -> culprits.ofReadWithoutWait(race))) {
            return;
        }
        if (before.completion() == null) {
            afterOrdinaryAccess(race);
        } else if (before.writes()) {
            afterCopyThatWrites(race, lane);
        } else {
            afterCopyThatReads(race);
        }
    }

    private static boolean isBlamed(ShadowAccess access) {
        return access.completion() != null && access.completion().isBlamed();
    }

    // ---- what came before was done at once

    private void afterOrdinaryAccess(Race race) {
        ShadowAccess before = race.before();
        ShadowAccess now = race.now();
        ThreadClock thread = now.thread();
        Gap gap = gap(before, now, (t, wanted) -> t.gapTo(before.thread(), before.time(), wanted),
                thread.hasHappened(before.thread(), before.time()));
        if (Ordering.areMeantToMeet(before, now) && Ordering.overlapInPart(before, now)) {
            findings.overlapInPart(race);
            return;
        }
        if (culprits.ofPlainAccess(race) || culprits.ofTornUpdate(race)) {
            return;
        }
        if (before.writes() && now.isAsync() && thread.isAfter(before.thread(), before.time())) {
            if (!culprits.ofReadersFence(race) && !find(race, culprits::ofFence)) {
                findings.writtenWithoutProxyFence(race);
            }
        } else if (Ordering.areMeantToMeet(before, now)) {
            ShadowAccess small = before.thread().reaches(thread, before.scope()) ? now : before;
            findings.scopeTooSmall(race, small.step(), small.thread());
        } else if (gap != null && (before.writes() || now.completion() == null || gap.reason() == Gap.Reason.SCOPE)) {
            fallsShort(race, gap);
        } else if (!race.bytes().shared() && before.thread().block() != thread.block()) {
            if (!told.computeIfAbsent(key(race), _ -> culprits.ofToldValue(race))) {
                findings.blocksNotOrdered(race);
            }
        } else if (!before.writes() && now.completion() != null) {
            copyOverwritesRead(race);
        } else if (!find(race, r -> culprits.ofVainWait(r) || culprits.ofWeakArrival(r)
                || culprits.ofArrivalForOthers(r) || culprits.ofEarlyArrival(r))) {
            findings.threadsNotOrdered(race);
        }
    }

    /** Looks for a step that is there and wrong, once for two steps. */
    private boolean find(Race race, Predicate<Race> finder) {
        if (race.before().thread().cluster() != race.now().thread().cluster()) {
            // The other cluster may have ended.
            return false;
        }
        long key = key(race);
        Boolean found = looked.get(key);
        if (found == null) {
            found = finder.test(race);
            looked.put(key, found);
        }
        return found;
    }

    private static long key(Race race) {
        return (long) race.before().step() << 32 | race.now().step();
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

    private void fallsShort(Race race, Gap gap) {
        switch (gap.reason()) {
            case NOT_ACQUIRED -> findings.seenWithoutAcquire(race, gap.step());
            case NOT_RELEASED -> findings.toldWithoutRelease(race, gap.step(), gap.by());
            case SCOPE -> findings.scopeTooSmall(race, gap.step(), gap.by());
            case UNCHECKED -> findings.valueDecidesNothing(race, gap.step());
        }
    }

    private void copyOverwritesRead(Race race) {
        if (readUnwritten.contains(race.before().step()) && race.now().completion().groups() != null) {
            // The read came before anything was written: it is what should have waited for the copy.
            if (!find(race.reversed(), culprits::ofGroupWait)) {
                findings.threadsNotOrderedAfterCopy(race.reversed());
            }
            return;
        }
        BarrierWait wait = run.thread(race.now().thread()).lastWait;
        Barrier barrier = wait == null ? null : wait.barrier();
        boolean readerArrives = wait != null && barrier.lastArrival(race.before().thread()) >= 0;
        if (readerArrives && wait.vain()) {
            findings.waitedForPastPhase(race, wait);
        } else if (readerArrives && barrier.overran()) {
            findings.phasesBeforeReaders(race, barrier);
        } else if (!find(race, culprits::ofOverwrite)) {
            findings.overwritesUnread(race);
        }
    }

    // ---- what came before is a copy that writes

    private void afterCopyThatWrites(Race race, int lane) {
        ShadowAccess before = race.before();
        ShadowAccess now = race.now();
        CopyCompletion copy = before.completion();
        ThreadClock thread = now.thread();
        boolean started = thread.isAfter(before.thread(), before.time());
        Gap gap = gap(before, now, copy::gapTo, copy.isOverFor(thread));
        if (gap != null) {
            fallsShort(race, gap);
        } else if (copy.kind() == Kind.CP_ASYNC_GROUP && race.bytes().shared() && !copy.isWaitedFor()
                && arrivals.computeIfAbsent(key(race), _ -> culprits.ofPlainArrival(race))) {
            return;
        } else if (copy.kind() != Kind.BARRIER && before.thread().cluster() != thread.cluster()
                && (!started || copy.isWaitedFor())) {
            findings.blocksNotOrderedAfterCopy(race);
        } else if (!started && !now.writes() && before.replaced() != null
                && Ordering.isOrdered(before.replaced(), now, lane)) {
            // The read comes after what the bytes held before, and knows nothing of the copy: it is the copy that came
            // too early.
            if (!find(race.reversed(), culprits::ofOverwrite)) {
                findings.overwritesUnread(race.reversed());
            }
        } else if (before.isAsync() && culprits.belongsBeforeCopy(race)) {
            if (now.writes()) {
                findings.accessMayFollowTheCopy(race);
            } else {
                findings.overwritesUnread(race.reversed());
            }
        } else if (now.isAsync() && !before.isAsync() && copy.isKnownTo(thread, Clock.ORDERED)) {
            findings.copiedWithoutProxyFence(race);
        } else if (copy.isWaitedFor()) {
            if (!find(race, culprits::ofSync)) {
                findings.waitedForByItsThreadOnly(race);
            }
        } else if (copy.barrier() != null) {
            afterCopyOnBarrier(race, copy);
        } else {
            afterCopyInGroup(race, copy, started);
        }
    }

    /** @param started whether the thread knows that the copy has started */
    private void afterCopyInGroup(Race race, CopyCompletion copy, boolean started) {
        ThreadClock thread = race.now().thread();
        GroupWait wait = copy.groups().lastWait();
        if (!started) {
            if (!find(race, r -> culprits.ofVainWait(r) || culprits.ofGroupWait(r))) {
                findings.threadsNotOrderedAfterCopy(race);
            }
        } else if (copy.groups().isOpen(copy)) {
            if (!find(race, culprits::ofCommit)) {
                findings.groupNotCommitted(race);
            }
        } else if (isAfter(wait, copy) && thread.isAfter(copy.thread(), wait.time())) {
            if (!find(race, culprits::ofShallowWait)) {
                findings.waitTooShallow(race, wait);
            }
        } else if (race.now().writes()) {
            findings.overwritesBeforeGroupLanded(race);
        } else {
            if (!find(race, culprits::ofGroupWait)) {
                findings.readsBeforeGroupLanded(race);
            }
        }
    }

    private static boolean isAfter(GroupWait wait, CopyCompletion copy) {
        return wait != null && wait.event() > copy.startedAt();
    }

    private void afterCopyOnBarrier(Race race, CopyCompletion copy) {
        Barrier b = copy.barrier();
        LateAnnouncement late = b.lateAnnouncement();
        BarrierWait vain = b.vainWait();
        boolean uncounted = b.phase() == copy.phase() && b.bytes().announced() == 0 && b.bytes().started() > 0;
        if (uncounted && copy.phase() > 0 && b.lastArrival(copy.thread()) == copy.phase() - 1) {
            findings.bytesNotAnnounced(race);
        } else if (late != null && late.phase() == copy.phase()) {
            findings.bytesAnnouncedLate(race);
        } else if (vain != null && vain.event() > copy.startedAt()) {
            findings.waitedForPhaseBefore(race, vain);
        } else if (race.now().writes() && race.now().completion() != null) {
            if (!find(race, culprits::ofWeakArrival)) {
                findings.overwritesBeforePhase(race);
            }
        } else if (!find(race, culprits::ofEarlyUse)) {
            findings.readsBeforePhase(race);
        }
    }

    // ---- what came before is a copy that reads

    private void afterCopyThatReads(Race race) {
        CopyCompletion copy = race.before().completion();
        boolean started = race.now().thread().isAfter(race.before().thread(), race.before().time());
        GroupWait wait = copy.groups() == null ? null : copy.groups().lastWait();
        Gap gap = gap(race.before(), race.now(), copy::gapTo, copy.isOverFor(race.now().thread()));
        if (gap != null) {
            fallsShort(race, gap);
        } else if (!race.bytes().shared() && race.before().thread().block() != race.now().thread().block()) {
            findings.blocksNotOrderedAfterReadingCopy(race);
        } else if (culprits.belongsBeforeCopy(race)) {
            findings.accessMayFollowTheCopy(race);
        } else if (copy.isWaitedFor()) {
            if (!find(race, culprits::ofSync)) {
                findings.sourceWaitedForByItsThreadOnly(race);
            }
        } else if (started && copy.barrier() == null && copy.groups() != null && copy.groups().isOpen(copy)) {
            if (!find(race, culprits::ofCommit)) {
                findings.groupNotCommitted(race);
            }
        } else if ((copy.kind() == Kind.BULK_GROUP_READ || copy.kind() == Kind.WGMMA_GROUP) && isAfter(wait, copy)) {
            findings.sourceWaitTooShallow(race, wait);
        } else {
            if (!find(race, culprits::ofForeignWait)) {
                findings.sourceNotWaitedFor(race);
            }
        }
    }
}
