package dev.tilewright.hazard.report;

import dev.tilewright.NotNull;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ShadowAccess;

/** What is said of two accesses that no barrier, fence, scope or value orders. */
public record OrderFindings(ProgramNames names, MeetingPlaces meetings) {
    static final String TWO_THREADS = "nothing orders the two threads";
    private static final String TWO_BLOCKS = "nothing orders the two blocks";
    private static final String OWN_BYTES =
            "give each block bytes of its own, or let one block wait for a value that the other releases";

    public OrderFindings {
        NotNull.all("names, meetings", names, meetings);
    }

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
                "put it after the writes, step " + race.earlier() + ", and before what lets other threads go on")
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
                + ", comes after what lets the copying thread go on", "put it after the writes, step " + race.earlier()
                + ", and before what lets other threads go on").atEarlier(fence);
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

    public RaceVerdict copiedWithoutProxyFence(Race race) {
        return race.is(HazardCode.MISSING_PROXY_FENCE, "no proxy fence lies between the end of the first copy and the "
                + "second one", names.mnemonic(race.earlier()) + " writes as ordinary stores do: put "
                + "fence.proxy.async after the wait for it");
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
        return race.is(race.isOfBlocks() ? HazardCode.GLOBAL_RACE : HazardCode.MISSING_BARRIER,
                names.location(step) + " reads a value that was stored after it, but goes on whatever it reads, so "
                + "that it may as well come before", race.before().thread().block() != race.now().thread().block()
                ? () -> "wait there until the value has come"
                : meetings.meet(race, "put ", " between the two, or wait there until the value has come"));
    }

    public RaceVerdict blocksNotOrdered(Race race) {
        return race.is(HazardCode.GLOBAL_RACE, TWO_BLOCKS, OWN_BYTES);
    }

    public RaceVerdict blocksNotOrderedAfterCopy(Race race) {
        return race.is(HazardCode.GLOBAL_RACE, TWO_BLOCKS, OWN_BYTES + " after it has waited for its copy");
    }

    public RaceVerdict blocksNotOrderedAfterReadingCopy(Race race) {
        return race.is(HazardCode.GLOBAL_RACE, TWO_BLOCKS, "let the writing block wait for a value that the other "
                + "releases after it has waited for its copy");
    }

    /** A thread of the later block has waited for the earlier one, and the later thread has not met it since. */
    public RaceVerdict noSyncAfterBlockWaited(Race race, int wait, ThreadClock by) {
        return race.is(HazardCode.GLOBAL_RACE, "thread " + by.thread() + " of block " + by.block()
                + " has waited for the other block, in " + names.location(wait) + ", and thread " + race.now().thread()
                .thread() + " does not meet it after that", "put __syncthreads() between step " + wait + " and step "
                + race.later());
    }

    /**
     * The value that the later block has waited for was stored before the access.
     *
     * @param byOthers whether threads besides the one that stores it perform the access
     */
    public RaceVerdict toldBeforeAccess(Race race, int told, ThreadClock by, boolean byOthers) {
        return race.is(HazardCode.GLOBAL_RACE, "step " + told + " stores the value that the other block has waited "
                + "for, and comes before step " + race.earlier(), "put it after step " + race.earlier()
                + (byOthers ? ", with __syncthreads() between the two" : "")).at(told, by.block());
    }

    /** The thread that stores the value that the later block has waited for need not know of the access. */
    public RaceVerdict noSyncBeforeTelling(Race race, int told, ThreadClock by) {
        return race.is(HazardCode.GLOBAL_RACE, "the other block has waited for the value that thread " + by.thread()
                + " of block " + by.block() + " stores, in step " + told + ", and thread " + race.before().thread()
                .thread() + " does not meet that thread before it stores it", "put __syncthreads() between step "
                + race.earlier() + " and step " + told).at(told, by.block());
    }

    /** The later thread goes by what a plain store told. */
    public RaceVerdict toldByPlainStore(Race race, int store) {
        return (race.isOfBlocks() ? blocksNotOrdered(race) : threadsNotOrdered(race))
                .because(Cause.plainStore(store));
    }

    public RaceVerdict threadsNotOrdered(Race race) {
        boolean oneBlock = race.before().thread().block() == race.now().thread().block();
        return race.is(HazardCode.MISSING_BARRIER, TWO_THREADS, oneBlock ? meetings.meetBetweenTheTwo(race, "")
                : () -> "let the blocks of the cluster meet at its barrier between the two");
    }

    public RaceVerdict threadsNotOrderedAfterCopy(Race race) {
        return race.is(HazardCode.MISSING_BARRIER, TWO_THREADS, meetings.meetBetweenTheTwo(race,
                "wait for the copy's group, and "));
    }

    /** Bytes are written that a copy may have read, or written, before. */
    public RaceVerdict accessMayFollowTheCopy(Race race) {
        return race.is(HazardCode.MISSING_BARRIER, "nothing makes sure that the writes come before the copy "
                + (race.before().writes() ? "writes" : "reads") + " the bytes", meetings.meet(race, "put ",
                " between step "
                + race.later() + " and step " + race.earlier())).atEarlier(race.earlier());
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
        return race.is(race.isOfBlocks() ? HazardCode.GLOBAL_RACE : HazardCode.MISSING_BARRIER,
                "several threads change these bytes by loading them, in step " + load + ", and storing them, in step "
                + store + ": what another one stores in between is lost", () -> "change them by one atomic "
                + "instruction, red or atom, instead of steps " + load + " and " + store).at(store)
                .because(Cause.tornUpdate(store));
    }

    /** A copy overwrites bytes that a thread may still be reading. */
    public RaceVerdict overwritesUnread(Race race) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the reading thread may not have finished",
                meetings.meet(race, "put ", meetings.betweenTheTwo(race) + ", or an mbarrier at which the reader "
                + "arrives and for which "
                + "the copying thread waits"));
    }

    /** A copy overwrites the bytes that are read in the same turn. */
    public RaceVerdict overwritesWhatIsRead(Race race) {
        return race.is(HazardCode.OVERWRITE_UNREAD, "the copy starts before the read of the same turn, which is of "
                + "what was there before", "copy to another stage, or put the copy after the reads, with "
                + "__syncthreads() between the two");
    }
}
