package dev.tilewright.hazard.report;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierWait;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.async.CopyGroups;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.program.expression.SharedRegion;
import java.util.function.Supplier;

/** What is said of two accesses to the same bytes that nothing orders. */
public final class RaceFindings {
    private static final String TWO_THREADS = "nothing orders the two threads";
    private static final String TWO_BLOCKS = "nothing orders the two blocks";
    private static final String OWN_BYTES =
            "give each block bytes of its own, or let one block wait for a value that the other releases";

    private final ProgramNames names;
    private MeetingPlaces meetings;

    public RaceFindings(ProgramNames names) {
        this.names = names;
    }

    public void meetBy(MeetingPlaces places) {
        meetings = places;
    }

    /** Where two threads can meet that do something to the same bytes, in the order in which they do it. */
    private String betweenTheTwo(Race race) {
        int earlier = race.before().step();
        int later = race.now().step();
        boolean nextTurn = earlier > later && meetings.shareLoop(earlier, later) && meetings.place(earlier, later) != 0;
        return nextTurn ? " after step " + meetings.place(earlier, later) + ", in each turn" : " between the two";
    }

    private Supplier<String> meet(Race race, String before, String after) {
        return () -> before + meetings.between(race) + after;
    }

    /** What two threads do to the same bytes in one step no meeting orders, unless their turns differ. */
    private Supplier<String> meetBetweenTheTwo(Race race, String before) {
        int step = race.now().step();
        if (race.before().step() != step) {
            return meet(race, before + "put ", betweenTheTwo(race));
        }
        String apart = "let one thread perform step " + step + ", or each for bytes of its own";
        return meetings.shareLoop(step, step) ? meet(race, apart + "; where their turns differ, " + before + "put ",
                " after it, in each turn") : () -> apart;
    }

    /** The last step of those in a loop of its own is the loop. */
    private int behind(int step, int other) {
        int place = meetings.place(step, other);
        return place == 0 ? step : place;
    }

    /** After the wait of the thread that copies, where all come. */
    private Supplier<String> meetAfterWait(Race race) {
        CopyGroups groups = race.before().completion().groups();
        return groups == null || groups.lastWait() == null ? meet(race, "put ", " after the wait")
                : meetAfterWait(race, groups.lastWait().step());
    }

    private Supplier<String> meetAfterWait(Race race, int wait) {
        if (race.before().step() == race.now().step()) {
            return meetBetweenTheTwo(race, "");
        }
        int place = meetings.place(wait, race.now().step());
        return meet(race, "put ", " after the wait" + (place == 0 || place == wait ? "" : ", behind step " + place));
    }

    // ---- ordinary accesses

    public RaceVerdict writtenWithoutProxyFence(Race race) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "no proxy fence lies between the two", race.bytes().shared()
                && race.bytes().of() != race.before().thread().block() ? "the bytes lie in another block: in the "
                + "writing thread, put fence.proxy.async.shared::cluster after the writes and before it lets other "
                + "threads go on" : "in the writing thread, put fence.proxy.async after the writes and before it lets "
                + "other threads go on");
    }

    /** The writing thread's fence comes too early. */
    public RaceVerdict fenceBeforeTheWrites(Race race, int fence) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "the proxy fence, step " + fence + ", comes before those writes",
                "put it after the writes, step " + race.before().step() + ", and before what lets other threads go on")
                .atEarlier(fence);
    }

    /** There is a fence for other memory. */
    public RaceVerdict fenceForOtherMemory(Race race, int fence, int block, boolean needsShared) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "the proxy fence, step " + fence + ", is for "
                + (needsShared ? "global memory" : "shared memory") + " alone", "let it be for "
                + (needsShared ? "shared" : "global") + " memory: fence.proxy.async."
                + (needsShared ? "shared::cta" : "global")).at(fence, block);
    }

    /** The writing thread's fence is for memory of its own block. */
    public RaceVerdict fenceForItsBlock(Race race, int fence) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "the proxy fence, step " + fence
                + ", is for the shared memory of its own block, and the bytes lie in another",
                "let it be for all of the cluster: fence.proxy.async.shared::cluster").atEarlier(fence);
    }

    /** The writing thread's fence comes after it has let the copying thread go on. */
    public RaceVerdict fenceTooLate(Race race, int fence) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "the proxy fence, step " + fence
                + ", comes after what lets the copying thread go on", "put it after the writes, step " + race.before()
                .step() + ", and before what lets other threads go on").atEarlier(fence);
    }

    /** The writing thread's fence comes after the one by which what follows releases: it is not part of that. */
    public RaceVerdict fenceAfterTheRelease(Race race, int fence, int release) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "the proxy fence, step " + fence + ", comes after the fence of "
                + "step " + release + ", which begins what a relaxed step after it releases", "put step " + fence
                + " before step " + release).atEarlier(fence);
    }

    /** There is a fence of a thread that need not know of the writes. */
    public RaceVerdict fenceOfAnotherThread(Race race, int fence, ThreadClock by) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "the proxy fence, step " + fence + " of thread " + by.thread()
                + " of block " + by.block() + ", does not come between the two: that thread did not write these bytes, "
                + "and is not between those who did and the copy", "let the writing thread perform it after its "
                + "writes, before what lets other threads go on").at(fence, by.block());
    }

    public RaceVerdict seenWithoutAcquire(Race race, int seenStep) {
        return race.is(HazardCode.FLAG_NOT_ACQUIRED, "step " + seenStep + " read a value that was stored after it, but "
                + "without acquire semantics", "give that load acquire semantics, or put a fence after it")
                .at(seenStep);
    }

    /** A value told of what came before it, but its store did not release that. */
    public RaceVerdict toldWithoutRelease(Race race, int step, ThreadClock by) {
        return race.is(HazardCode.FLAG_NOT_ACQUIRED, "step " + step + " tells of it, but without release semantics",
                "give it release semantics, or put a fence before it").at(step, by.block());
    }

    /** A step would have ordered the two, or let them come in any order, with a larger scope. */
    public RaceVerdict scopeTooSmall(Race race, int step, ThreadClock by) {
        ThreadClock other = by == race.now().thread() ? race.before().thread() : race.now().thread();
        String scope = by.cluster() == race.now().thread().cluster() && by.cluster() == race.before().thread().cluster()
                ? ".cluster" : ".gpu";
        return race.is(HazardCode.SCOPE_TOO_SMALL, "step " + step + " of thread " + by.thread() + " of block "
                + by.block() + " has a scope that leaves out thread " + other.thread() + " of block " + other.block(),
                "give it the scope " + scope).at(step, by.block());
    }

    /** A load acquires a value, but whatever it is, its thread goes on. */
    public RaceVerdict valueDecidesNothing(Race race, int step) {
        boolean blocks = race.before().thread().block() != race.now().thread().block();
        return race.is(blocks && !race.bytes().shared() ? HazardCode.GLOBAL_RACE : HazardCode.MISSING_BARRIER,
                names.location(step) + " reads a value that was stored after it, but goes on whatever it reads, so "
                + "that it may as well come before", blocks ? () -> "wait there until the value has come"
                : meet(race, "put ", " between the two, or wait there until the value has come"));
    }

    public RaceVerdict blocksNotOrdered(Race race) {
        return race.is(HazardCode.GLOBAL_RACE, TWO_BLOCKS, OWN_BYTES);
    }

    /** A thread of the later block has waited for the earlier one, and the later thread has not met it since. */
    public RaceVerdict noSyncAfterBlockWaited(Race race, int wait, ThreadClock by) {
        return race.is(HazardCode.GLOBAL_RACE, "thread " + by.thread() + " of block " + by.block()
                + " has waited for the other block, in " + names.location(wait) + ", and thread " + race.now().thread()
                .thread() + " does not meet it after that", "put __syncthreads() between step " + wait + " and step "
                + race.now().step());
    }

    /**
     * The value that the later block has waited for was stored before the access.
     *
     * @param byOthers whether threads besides the one that stores it perform the access
     */
    public RaceVerdict toldBeforeAccess(Race race, int told, ThreadClock by, boolean byOthers) {
        return race.is(HazardCode.GLOBAL_RACE, "step " + told + " stores the value that the other block has waited "
                + "for, and comes before step " + race.before().step(), "put it after step " + race.before().step()
                + (byOthers ? ", with __syncthreads() between the two" : "")).at(told, by.block());
    }

    /** The thread that stores the value that the later block has waited for need not know of the access. */
    public RaceVerdict noSyncBeforeTelling(Race race, int told, ThreadClock by) {
        return race.is(HazardCode.GLOBAL_RACE, "the other block has waited for the value that thread " + by.thread()
                + " of block " + by.block() + " stores, in step " + told + ", and thread " + race.before().thread()
                .thread() + " does not meet that thread before it stores it", "put __syncthreads() between step "
                + race.before().step() + " and step " + told).at(told, by.block());
    }

    /** The later thread goes by what a plain store told. */
    public RaceVerdict toldByPlainStore(Race race, int store) {
        boolean blocks = race.before().thread().block() != race.now().thread().block();
        return (blocks && !race.bytes().shared() ? blocksNotOrdered(race) : threadsNotOrdered(race))
                .because(Cause.plainStore(store));
    }

    public RaceVerdict threadsNotOrdered(Race race) {
        boolean oneBlock = race.before().thread().block() == race.now().thread().block();
        return race.is(HazardCode.MISSING_BARRIER, TWO_THREADS, oneBlock ? meetBetweenTheTwo(race, "")
                : () -> "let the blocks of the cluster meet at its barrier between the two");
    }

    public RaceVerdict waitedForPastPhase(Race race, BarrierWait wait) {
        return race.is(HazardCode.WRONG_PARITY, "the wait for barrier " + wait.barrier().name()
                + " passed for a phase that was complete already", "wait for the parity of the phase that the readers "
                + "arrive in").at(wait.step());
    }

    public RaceVerdict phasesBeforeReaders(Race race, Barrier barrier) {
        return race.is(HazardCode.WRONG_ARRIVAL_COUNT, "barrier " + barrier.name()
                + " completes its phases before all readers have arrived", "initialise it with one arrival for each "
                + "reader").at(barrier.init().step());
    }

    /** Two accesses that are to meet are of different places or sizes. */
    public RaceVerdict overlapInPart(Race race) {
        ShadowAccess load = race.before().writes() ? race.now() : race.before();
        ShadowAccess store = load == race.now() ? race.before() : race.now();
        HazardCode code = !load.writes() ? HazardCode.FLAG_NOT_ACQUIRED
                : race.bytes().shared() ? HazardCode.MISSING_BARRIER : HazardCode.GLOBAL_RACE;
        return race.is(code, "step " + load.step() + " is of " + load.valueBytes() + " bytes and step " + store.step()
                + " of " + store.valueBytes() + ", which " + (load.valueBytes() == store.valueBytes()
                ? "begin elsewhere" : "overlap in part") + ": whatever their scopes and semantics, the one acquires "
                + "nothing of the other", "let both be of the same bytes: load what step " + store.step()
                + " stores by one load of " + store.valueBytes() + " bytes, or store it all at once")
                .at(load.step(), load.thread().block());
    }

    /** A thread waits for a value that a store without a scope leaves. */
    public RaceVerdict waitsForPlainStore(Race race, ShadowAccess wait, ShadowAccess store) {
        ThreadClock by = store.thread();
        ThreadClock of = wait.thread();
        String scope = by.block() == of.block() ? ".cta" : by.cluster() == of.cluster() ? ".cluster" : ".gpu";
        return race.is(by.block() == of.block() ? HazardCode.MISSING_BARRIER : HazardCode.GLOBAL_RACE, "step "
                + store.step() + " stores by a plain store what step " + wait.step()
                + " waits for: it releases nothing, and has no scope", "store it by st.release" + scope)
                .at(store.step(), by.block()).because(Cause.plainStore(store.step()));
    }

    /** Threads change the same bytes, each by a load and a store. */
    public RaceVerdict updatesInTwoSteps(Race race, int load, int store) {
        boolean blocks = race.before().thread().block() != race.now().thread().block();
        return race.is(blocks && !race.bytes().shared() ? HazardCode.GLOBAL_RACE : HazardCode.MISSING_BARRIER,
                "several threads change these bytes by loading them, in step " + load + ", and storing them, in step "
                + store + ": what another one stores in between is lost", () -> "change them by one atomic "
                + "instruction, red or atom, instead of steps " + load + " and " + store).at(store)
                .because(Cause.tornUpdate(store));
    }

    /**
     * A thread arrives for the lanes of its warp, and has not met the one that touches the bytes before that.
     *
     * @param place the arrival, or what it is in that the lanes come to together
     */
    public RaceVerdict arrivesForOthers(Race race, int arrival, ThreadClock by, Barrier barrier, int place) {
        return race.is(overwrites(race) ? HazardCode.OVERWRITE_UNREAD : HazardCode.MISSING_BARRIER, "thread "
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

    /** A copy overwrites bytes that a thread may still be reading. */
    public RaceVerdict overwritesUnread(Race race) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the reading thread may not have finished",
                meet(race, "put ", betweenTheTwo(race) + ", or an mbarrier at which the reader arrives and for which "
                + "the copying thread waits"));
    }

    /** A copy overwrites the bytes that are read in the same turn. */
    public RaceVerdict overwritesWhatIsRead(Race race) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the copy starts before the read of the same turn, which is of "
                + "what was there before", "copy to another stage, or put the copy after the reads, with "
                + "__syncthreads() between the two");
    }

    /** The reader went past its wait for the copies of these bytes because it was for a phase before. */
    public RaceVerdict readerWaitedForPastPhase(Race race, BarrierWait wait) {
        return race.is(HazardCode.WRONG_PARITY, "the reader's wait for barrier " + wait.barrier().name()
                + " passed for a phase that was complete already", "wait for the parity of the phase that the copy "
                + "counts in; where it does, let it wait for the phase before first, or for a thread that has")
                .atEarlier(wait.step());
    }

    /** The reader's wait for what another thread writes passed because it was for a phase before. */
    public RaceVerdict readAfterVainWait(Race race, BarrierWait wait) {
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
                + behind(race.before().step(), arrival)).atEarlier(arrival);
    }

    /** The arrival that would have ordered the two does not release. */
    public RaceVerdict arrivedWithoutRelease(Race race, int step, ThreadClock by) {
        return race.is(overwrites(race) ? HazardCode.OVERWRITE_UNREAD : race.before().completion() != null
                ? HazardCode.READ_IN_FLIGHT : HazardCode.MISSING_BARRIER, "thread " + by.thread()
                + " arrives with .relaxed, which makes known nothing of what it did before",
                "let that arrival release, as it does without .relaxed").at(step, by.block());
    }

    private static boolean overwrites(Race race) {
        return race.now().writes() && race.now().completion() != null;
    }

    // ---- after a copy that writes

    public RaceVerdict blocksNotOrderedAfterCopy(Race race) {
        return race.is(HazardCode.GLOBAL_RACE, TWO_BLOCKS, OWN_BYTES + " after it has waited for its copy");
    }

    public RaceVerdict copiedWithoutProxyFence(Race race) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "no proxy fence lies between the end of the first copy and the "
                + "second one", names.mnemonic(race.before().step()) + " writes as ordinary stores do: put "
                + "fence.proxy.async after the wait for it");
    }

    /** A __syncthreads comes before the wait that it should come after. */
    public RaceVerdict syncBeforeTheWait(Race race, int sync, int wait) {
        return race.is(race.before().writes() ? HazardCode.MISSING_BARRIER : HazardCode.OVERWRITE_IN_STORE,
                "that __syncthreads() comes before the copy is waited for, in " + names.location(wait),
                "put it after that wait").at(sync);
    }

    public RaceVerdict waitedForByItsThreadOnly(Race race) {
        return waitedForByItsThreadOnly(race, HazardCode.MISSING_BARRIER);
    }

    public RaceVerdict threadsNotOrderedAfterCopy(Race race) {
        return race.is(HazardCode.MISSING_BARRIER, TWO_THREADS, meetBetweenTheTwo(race,
                "wait for the copy's group, and "));
    }

    public RaceVerdict groupNotCommitted(Race race) {
        return race.is(HazardCode.GROUP_NOT_COMMITTED, "no commit has closed the " + noun(race)
                + "'s group, so that no wait covers it", "commit the group after the " + noun(race))
                .atEarlier(race.before().step()).because(Cause.notCommitted(kind(race)));
    }

    /** The commit came before the copy, which belongs to the next group. */
    public RaceVerdict committedBeforeCopy(Race race, int commit, int copy) {
        return race.is(HazardCode.GROUP_NOT_COMMITTED, "step " + commit + " closed a group before the copy started, "
                + "and no commit has closed the copy's own", "put it after the copy, step "
                + placeOfCommit(copy, commit)).atEarlier(commit);
    }

    /** A group is closed a turn of the loop too late. */
    public RaceVerdict committedInTheNextTurn(Race race, int commit) {
        CopyCompletion copy = race.before().completion();
        boolean reads = copy.kind() == Kind.BULK_GROUP_READ;
        return race.is(reads ? HazardCode.OVERWRITE_IN_STORE : HazardCode.WAIT_TOO_SHALLOW, leaves(race, copy.groups()
                .lastWait(), reads ? "unread" : "in flight") + ", as step " + commit + ", which closes it, stands "
                + "before the copy", "put step " + commit + " after step " + placeOfCommit(copy.step(), commit))
                .atEarlier(commit);
    }

    /**
     * The wait that covers a copy is that of a later turn, after the copying thread has let the other one go on.
     *
     * @param commit the step that closes the copy's group, where it is misplaced; 0 where the wait is too shallow
     */
    public RaceVerdict waitedForInTheNextTurn(Race race, GroupWait wait, int commit) {
        int copy = race.before().step();
        return race.is(HazardCode.OVERWRITE_IN_STORE, "step " + wait.step() + " waits for the copy's group only in a "
                + "later turn, after the copying thread has let the other one go on" + (commit == 0 ? ""
                : commit < copy ? ", as step " + commit + ", which closes it, stands before the copy"
                : ", as step " + commit + ", which closes it, stands after that wait"), commit == 0
                ? "let that wait leave fewer groups pending" : commit < copy
                ? "put step " + commit + " after step " + placeOfCommit(copy, commit)
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
                + placeOfCommit(copy, wait.step())).atEarlier(copy);
    }

    /** Where a group is closed as often as a step is performed: behind what decides whether something is copied. */
    private int placeOfCommit(int copy, int step) {
        int place = meetings.place(copy, step);
        return place == 0 ? copy : place;
    }

    /** The wait for the copy's group follows the use. @param place the use, or the meeting before it */
    public RaceVerdict usedBeforeTheGroupsWait(Race race, int wait, int place) {
        return race.is(HazardCode.READ_IN_FLIGHT, names.location(wait) + ", which waits for the copy's group, comes "
                + "after that", "wait before step " + place);
    }

    /** The copying thread's wait is there, and nothing tells other threads of it. */
    public RaceVerdict noSyncAfterTheWait(Race race, int wait) {
        return race.is(HazardCode.MISSING_BARRIER, names.location(wait) + " waits for the copies of its own thread "
                + "alone, and " + TWO_THREADS, meetAfterWait(race, wait));
    }

    /** Bytes are written that a copy may have read, or written, before. */
    public RaceVerdict accessMayFollowTheCopy(Race race) {
        return race.is(HazardCode.MISSING_BARRIER, "nothing makes sure that the writes come before the copy "
                + (race.before().writes() ? "writes" : "reads") + " the bytes", meet(race, "put ", " between step "
                + race.now().step() + " and step " + race.before().step())).atEarlier(race.before().step());
    }

    /** Another thread waits, for groups of its own. */
    public RaceVerdict waitOfAnotherThread(Race race, int wait, ThreadClock by) {
        return race.is(HazardCode.OVERWRITE_IN_STORE, "step " + wait + " waits in thread " + by.thread()
                + ", and for groups of that thread alone, but the copy is of thread " + race.before().thread().thread(),
                meet(race, "let the copying thread wait, and put ", " after that")).at(wait, by.block());
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
                : "its copy has read the bytes"), "arrive after step " + behind(done == null ? race.before().step()
                : done.step(), arrival)).atEarlier(arrival);
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

    public RaceVerdict waitTooShallow(Race race, GroupWait wait) {
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

    // ---- after a copy that an mbarrier counts

    public RaceVerdict bytesNotAnnounced(Race race) {
        Barrier barrier = race.before().completion().barrier();
        return race.is(HazardCode.TX_TOO_SMALL, completesWithoutBytes(race) + ", because no thread announces them",
                "announce them with the arrival: mbarrier.arrive.expect_tx").at(barrier.arrivalStep());
    }

    public RaceVerdict bytesAnnouncedLate(Race race) {
        Barrier barrier = race.before().completion().barrier();
        return race.is(HazardCode.TX_LATE, completesWithoutBytes(race) + ", because they are announced after the "
                + "arrival", "announce the bytes before the arrival, or with it: mbarrier.arrive.expect_tx")
                .at(barrier.lateAnnouncement().step());
    }

    public RaceVerdict waitedForPhaseBefore(Race race, BarrierWait wait) {
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
    public RaceVerdict readersArriveTwice(Race race, Barrier empty, BarrierWait wait, int block) {
        return race.is(HazardCode.WRONG_PARITY, "readers of block " + block + " arrive twice in one phase of barrier "
                + empty.name() + ", as their wait for barrier " + wait.barrier().name()
                + " passed for a phase that was complete already", "wait for the parity of the phase that the copy "
                + "counts in").at(wait.step(), block);
    }

    /** Stages are handed back, and no thread waits for that. @param place before which the wait belongs */
    public RaceVerdict nobodyWaitsForReaders(Race race, SharedRegion array, int place) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "no step waits for the barriers '" + array.name() + "', at which "
                + "the readers arrive", "wait for '" + array.name() + "' before step " + place);
    }

    public RaceVerdict overwritesBeforePhase(Race race) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the earlier copy may not have landed", "wait first for "
                + phase(race) + ", and until its bytes have been read");
    }

    public RaceVerdict readsBeforePhase(Race race) {
        return race.is(HazardCode.READ_IN_FLIGHT, "thread " + race.now().thread().thread() + " has not waited for "
                + phase(race) + ", nor met a thread that has", "wait for it before step " + race.now().step())
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
                .atEarlier(race.before().step());
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
                .atEarlier(race.before().step());
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
                .atEarlier(race.before().step());
    }

    /** The wait for the copy follows the use of its bytes. */
    public RaceVerdict readBeforeTheWait(Race race, int wait) {
        return race.is(HazardCode.READ_IN_FLIGHT, names.location(wait) + ", which waits for " + phase(race)
                + ", comes after that", "wait before step " + race.now().step());
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

    // ---- after a copy that reads

    public RaceVerdict blocksNotOrderedAfterReadingCopy(Race race) {
        return race.is(HazardCode.GLOBAL_RACE, TWO_BLOCKS, "let the writing block wait for a value that the other "
                + "releases after it has waited for its copy");
    }

    public RaceVerdict sourceWaitedForByItsThreadOnly(Race race) {
        return waitedForByItsThreadOnly(race, HazardCode.OVERWRITE_IN_STORE);
    }

    private RaceVerdict waitedForByItsThreadOnly(Race race, HazardCode code) {
        return race.is(code, "the thread that started the " + noun(race) + " has waited for it, but " + TWO_THREADS,
                meetAfterWait(race));
    }

    public RaceVerdict sourceWaitTooShallow(Race race, GroupWait wait) {
        return atWait(race, wait, HazardCode.OVERWRITE_IN_STORE, leaves(race, wait, "unread"), fixOf(race, wait));
    }

    /** @param meets whether the two threads meet between the copy and the access */
    public RaceVerdict sourceNotWaitedFor(Race race, boolean meets) {
        CopyCompletion copy = race.before().completion();
        return race.is(HazardCode.OVERWRITE_IN_STORE, "nothing waits until the " + noun(race) + " has read them",
                switch (copy.kind()) {
                    case BULK_GROUP_READ -> "put cp.async.bulk.wait_group.read 0 after step " + copy.closedBy()
                            + ", which closes its group" + (meets ? "" : ", and let the two threads meet after that");
                    case WGMMA_GROUP -> "wait for its group with wgmma.wait_group first";
                    case CP_ASYNC_GROUP, BULK_GROUP_WRITE, BARRIER -> "wait for the end of the copy first";
                }).because(copy.closedBy() == 0 ? null : Cause.notWaitedFor(copy.closedBy()));
    }

    // ---- parts

    private String leaves(Race race, GroupWait wait, String how) {
        String step = "step " + wait.step();
        if (!race.before().completion().isCommittedBefore(wait)) {
            return step + " waits for the groups committed by then, and the copy's group was committed later";
        }
        return step + (wait.pending() == 1 ? " leaves 1 group " + how + ", which is the " + noun(race) + "'s"
                : " leaves " + wait.pending() + " groups " + how + ", the " + noun(race) + "'s among them");
    }

    private static Kind kind(Race race) {
        return race.before().completion().kind();
    }

    /** What came before, which is not done at once. */
    private static String noun(Race race) {
        return race.before().completion().kind() == Kind.WGMMA_GROUP ? "product" : "copy";
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

    /** What came before, in words; of one thread and step it is an earlier turn. */
    private String before(Race race) {
        Access before = names.access(race.before());
        boolean sameStep = race.before().thread() == race.now().thread() && race.before().step() == race.now().step();
        return sameStep ? "the same step of that thread, in an earlier turn, " + before.kind() : before.toString();
    }

    public Draft of(RaceVerdict verdict) {
        Race race = verdict.race();
        int step = verdict.step();
        return new Draft(verdict.code(), names.location(step), verdict.block()).on(names.place(race.bytes()))
                .by(names.access(race.now())).against(names.access(race.before()))
                .says((step == race.now().step() ? "" : names.at(step, verdict.block())) + names.access(race.now())
                        + " " + names.place(race.bytes()) + ", and " + before(race) + " them")
                .wants(verdict.wanted()).fixedBy(verdict.fix()).unlessNeverWaitedFor(verdict.undecided())
                .because(verdict.cause());
    }
}
