package dev.tilewright.hazard.report;

import dev.tilewright.Counted;
import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.BarrierInit;
import dev.tilewright.hazard.async.BarrierUser;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.async.PhaseBytes;
import dev.tilewright.hazard.async.WaitWindows.Window;
import dev.tilewright.hazard.order.ThreadClock;

/** What is said of the use of mbarriers: their initialisation, arrivals, bytes and waits. */
public record BarrierFindings(ProgramNames names) {
    private static final String RIGHT_STAGE = "let the wait, the work after it and the arrival be for one stage";
    private static final String ARRIVALS_OF_A_PHASE = "initialise it with as many arrivals as a phase gets";

    // ---- initialisation

    /** @param neighbour the step that initialises another mbarrier of its array; 0 for none */
    public Draft notInitialised(ThreadClock thread, int step, int owner, int address, String name,
            int neighbour) {
        Access use = names.access(step, thread, "uses");
        String ofBlock = owner == thread.block() ? "" : " of block " + owner;
        boolean others = neighbour != 0;
        return new Draft(HazardCode.BARRIER_NOT_INITIALISED,
                others ? names.location(neighbour) : use.location(), thread.block())
                .on(names.barrierAt(owner, address)).by(use)
                .says((others ? names.at(neighbour, owner) : "") + use + " barrier " + name + ofBlock
                        + ", which is not initialised")
                .wants(others ? "others of its array are, by step " + neighbour
                        : "nothing makes sure that it is by then")
                .fixedBy(others ? "initialise all of the array"
                        : "initialise it earlier, and synchronise the threads in between");
    }

    /** @param place the step after which all may meet; 0 where it is in another branch than the use */
    public Draft initNotVisible(ThreadClock thread, int step, Barrier barrier, int place) {
        return notVisible(thread, step, barrier, "uses", "nothing orders the two threads", place == 0
                ? "synchronise the threads in between" : "synchronise the threads after step " + place);
    }

    /**
     * Blocks of a cluster use each other's mbarriers: all of them have to meet.
     *
     * @param place as for one block
     * @param arrival a step at which they arrive at the cluster's barrier, without a wait before the use; 0 for none
     */
    public Draft initNotVisibleInCluster(ThreadClock thread, int step, Barrier barrier, int place, int arrival) {
        return notVisible(thread, step, barrier, "uses", arrival == 0 ? "nothing orders the two threads"
                : "nothing orders the two threads: " + names.location(arrival) + " arrives at the cluster's barrier, "
                        + "and none waits for it before the use", arrival != 0
                ? "put barrier.cluster.wait after step " + arrival
                : "let the blocks of the cluster meet at its barrier " + (place == 0 ? "in between"
                        : "after step " + place));
    }

    /** The blocks of a cluster arrive at its barrier before the initialisation, which that does not tell of. */
    public Draft initAfterTheArrival(ThreadClock thread, int step, Barrier barrier, int place, int arrival) {
        return notVisible(thread, step, barrier, "uses", "nothing orders the two threads: " + names.location(arrival)
                + " arrives at the cluster's barrier before that", "put step " + arrival + " after step " + place);
    }

    /** All threads were to meet after the initialisation, but only some come to where they do. */
    public Draft initBeforeMeetingOfSome(ThreadClock thread, int step, Barrier barrier, int place, int meeting) {
        return notVisible(thread, step, barrier, "uses", "nothing orders the two threads, and only some come to "
                + names.location(meeting), "put step " + meeting + " after step " + place);
    }

    public Draft initNotVisibleToEngine(ThreadClock thread, int step, Barrier barrier) {
        return notVisible(thread, step, barrier, "lets the copy engine use",
                "nothing makes the initialisation visible to the copy engine",
                "put fence.mbarrier_init after the initialisation");
    }

    /** An mbarrier is invalidated that another thread may still use. */
    public Draft invalidatedInUse(ThreadClock thread, int step, Barrier barrier, BarrierUser user) {
        return invalidated(thread, step, barrier, names.access(user.step(), user.thread(), user.what()),
                "synchronise the threads after the last use");
    }

    /** An mbarrier is used by another thread after it was invalidated, or initialised again. */
    public Draft invalidatedBefore(ThreadClock thread, int step, Barrier barrier, ThreadClock user, int userStep,
            boolean initialises) {
        return invalidated(thread, step, barrier, names.access(userStep, user, initialises ? "initialises" : "goes on"),
                "synchronise the threads after the last use");
    }

    /** An mbarrier is invalidated while a copy may still complete on it. */
    public Draft invalidatedUnderCopy(ThreadClock thread, int step, Barrier barrier, CopyCompletion copy) {
        return invalidated(thread, step, barrier, names.access(copy, "starts a copy that completes"),
                "wait for the phase that counts the copy's bytes");
    }

    private Draft invalidated(ThreadClock thread, int step, Barrier barrier, Access user, String fix) {
        Access ends = names.access(step, thread, "invalidates");
        return new Draft(HazardCode.INVAL_IN_USE, ends)
                .on(names.place(barrier)).against(user)
                .says(ends + " barrier " + barrier.name() + ", and " + user
                + (user.kind().equals("initialises") ? " it" : " on it"))
                .wants("nothing makes sure that this is over by then")
                .fixedBy(fix);
    }

    /** A fence for initialised mbarriers is there, and does not make this one known. */
    public Draft initFenceElsewhere(ThreadClock thread, int step, Barrier barrier, int fence, ThreadClock by,
            boolean sameThread) {
        BarrierInit init = barrier.init();
        Access use = names.access(step, thread, "lets the copy engine use");
        Access initialises = names.access(init.step(), init.thread(), "initialises");
        return new Draft(HazardCode.BARRIER_INIT_NOT_VISIBLE, names.location(fence), by.block())
                .on(names.place(barrier)).by(use).against(initialises)
                .says(names.at(fence, by.block()) + use + " barrier " + barrier.name() + ", which " + initialises)
                .wants(sameThread ? "that fence comes before the initialisation, or too late for the copy"
                        : "that fence is performed by thread " + by.thread() + ", and makes known what that one has"
                                + " initialised")
                .fixedBy("let the thread that initialises perform it, after the initialisation");
    }

    private Draft notVisible(ThreadClock thread, int step, Barrier barrier, String kind, String wanted, String fix) {
        BarrierInit init = barrier.init();
        Access use = names.access(step, thread, kind);
        Access initialises = names.access(init.step(), init.thread(), "initialises");
        return new Draft(HazardCode.BARRIER_INIT_NOT_VISIBLE, use)
                .on(names.place(barrier)).against(initialises)
                .says(use + " barrier " + barrier.name() + ", which " + initialises)
                .wants(wanted).fixedBy(fix);
    }

    // ---- arrivals

    /** More arrivals are under way than the present phase takes. */
    public Draft arrivesTooOften(ThreadClock thread, int step, Barrier barrier) {
        Access arrives = names.access(step, thread, "arrives");
        String takes = "takes " + arrivals(barrier);
        return aboutInit(barrier).against(arrives)
                .says(atInit(barrier) + arrives + " at barrier " + barrier.name() + ", whose phase " + barrier.phase()
                        + " " + takes + " and has them all, including arrivals that follow copies in flight")
                .wants("the phase completes without one of them").fixedBy(ARRIVALS_OF_A_PHASE);
    }

    /** Several threads arrive by one step, each with all of the bytes, in a phase that takes one arrival. */
    public Draft announcedByMany(ThreadClock thread, int step, Barrier barrier) {
        Access arrives = names.access(step, thread, "arrives");
        return new Draft(HazardCode.WRONG_ARRIVAL_COUNT, arrives).on(names.place(barrier))
                .says(arrives + " at barrier " + barrier.name() + ", whose phase " + barrier.phase() + " takes "
                        + arrivals(barrier) + " and has it, from another thread by the same step")
                .wants("each of them announces bytes, and the phase completes without the second")
                .fixedBy("let one thread announce the bytes and start their copies; or, where each thread brings"
                        + " its own, " + ARRIVALS_OF_A_PHASE);
    }

    /** A thread arrives again in a phase: the wait that should come first follows it. */
    public Draft arrivesBeforeItsWait(ThreadClock thread, int step, Barrier barrier, PassedWait wait) {
        Access arrives = names.access(step, thread, "arrives");
        return new Draft(HazardCode.WRONG_ARRIVAL_COUNT, arrives)
                .on(names.place(barrier)).against(names.access(wait.step(), thread, "waits"))
                .says(arrives + " at barrier " + barrier.name() + " again, in its phase " + barrier.phase()
                        + ", which is not complete")
                .wants("the wait for the same stage, for barrier " + wait.barrier().name().replaceFirst("\\[.*", "")
                        + " in " + names.location(wait.step()) + ", comes only after that")
                .fixedBy("put step " + step + " after step " + wait.step());
    }

    /** A thread arrives again in a phase, since a wait passed at once. */
    public Draft arrivesAfterVainWait(ThreadClock thread, int step, Barrier barrier, PassedWait wait) {
        Access arrives = names.access(step, thread, "arrives");
        return new Draft(HazardCode.WRONG_PARITY, names.location(wait.step()), thread.block())
                .on(names.place(barrier)).by(names.access(wait.step(), thread, "waits")).against(arrives)
                .says(names.at(wait.step(), thread.block()) + arrives + " at barrier " + barrier.name()
                        + " again, in its phase " + barrier.phase() + ", which is not complete")
                .wants("the wait for barrier " + wait.barrier().name()
                        + " in between passed at once, for a phase that was complete already")
                .fixedBy("wait for the parity of the phase that others arrive in meanwhile");
    }

    /**
     * A thread arrives again in a phase, since what it waited for in between was complete without all arrivals.
     *
     * @param arriving how many threads arrive at the barrier that it waited for
     */
    public Draft waitedForTooFew(ThreadClock thread, int step, Barrier barrier, PassedWait wait, long arriving) {
        Barrier waited = wait.barrier();
        Access arrives = names.access(step, thread, "arrives");
        return aboutInit(waited).by(names.access(wait.step(), thread, "waits")).against(arrives)
                .says(atInit(waited) + arrives + " at barrier " + barrier.name() + " again, in its phase "
                        + barrier.phase() + ", which is not complete")
                .wants("the wait for barrier " + waited.name() + " in between, in " + names.location(wait.step())
                        + ", passed after " + arrivals(waited) + ", and " + arriving + " threads arrive there")
                .fixedBy(ARRIVALS_OF_A_PHASE);
    }

    /** A thread arrives again in a phase, and nothing makes it wait for its end. */
    public Draft arrivesAgain(ThreadClock thread, int step, Barrier barrier, int earlier) {
        Access arrives = names.access(step, thread, "arrives");
        return new Draft(HazardCode.WRONG_ARRIVAL_COUNT, arrives)
                .on(names.place(barrier)).against(names.access(earlier, thread, "arrives"))
                .says(arrives + " at barrier " + barrier.name() + " again, in its phase " + barrier.phase()
                        + ", which takes " + arrivals(barrier) + " and is not complete"
                        + (earlier == step ? "" : "; it did so before in " + names.location(earlier)))
                .wants("a thread that arrives for a phase must know that the one before is complete")
                .fixedBy("before it, wait for the work that the phase's end announces, or arrive fewer "
                        + "times").ofPhases();
    }

    /** @param known the phase that the waiting thread waits for */
    public Draft phasesTooSoon(ThreadClock waiter, int step, Barrier barrier, long known) {
        Access waits = names.access(step, waiter, "waits");
        String each = "with " + arrivals(barrier) + " each";
        return aboutInit(barrier).by(waits)
                .says(atInit(barrier) + "barrier " + barrier.name() + " is in phase " + barrier.phase() + ", and "
                        + waits + " for the end of phase " + known + ": " + each + ", its phases complete too soon")
                .fixedBy(ARRIVALS_OF_A_PHASE).ofPhases();
    }

    private Draft aboutInit(Barrier barrier) {
        return new Draft(HazardCode.WRONG_ARRIVAL_COUNT, names.location(barrier.init().step()), barrier.owner());
    }

    private String atInit(Barrier barrier) {
        return names.at(barrier.init().step(), barrier.owner());
    }

    /** How many a phase takes. */
    static String arrivals(Barrier barrier) {
        return Counted.of(barrier.expectedArrivals(), "arrival");
    }

    // ---- waits

    public Draft mayMissItsPhase(Window wait, Barrier barrier) {
        Access waits = names.access(wait.step(), wait.thread(), "waits");
        return new Draft(HazardCode.WRONG_PARITY, waits)
                .on(names.place(barrier))
                .says(waits + " for barrier " + barrier.name() + ", whose phase " + wait.phase()
                        + " may be complete by then")
                .wants("the wait would then last for one phase more, or for ever")
                .fixedBy("let no phase complete before all threads have passed their wait for the one before,"
                        + " or wait for the other parity");
    }

    /** A thread waits for one stage, and goes on with another. @param next its next arrival */
    public Draft waitsForAnotherStage(Window wait, Barrier barrier, int next) {
        return missed(wait, barrier, wait.step(), "it waits for this one, and arrives, in " + names.location(next)
                + ", at the barrier of another stage", "wait for the barrier of the stage that it goes on with");
    }

    /** What completes the phase is an arrival of another stage. */
    public Draft arrivesForAnotherStage(Window wait, Barrier barrier, ThreadClock by, int arrival) {
        return missed(wait, barrier, arrival, "thread " + by.thread() + " of block " + by.block()
                + " arrives there, in step " + arrival + ", for another stage than the one that it has waited for",
                "arrive at the barrier of the stage that was waited for");
    }

    /** Another thread waits for one stage, and hands back another. @param by that thread */
    public Draft otherWaitsForAnotherStage(Window wait, Barrier barrier, ThreadClock by, int otherWait, int arrival) {
        return missed(wait, barrier, otherWait, mixes(by, otherWait, arrival), RIGHT_STAGE);
    }

    /**
     * A thread arrives again in a phase, since another one has handed back another stage than it has waited for.
     *
     * @param mixed the step of that one that is for another stage @param right the one that is not
     */
    public Draft arrivesAfterMixedStages(ThreadClock thread, int step, Barrier barrier, Barrier waited, ThreadClock by,
            int mixed, int right) {
        Access arrives = names.access(step, thread, "arrives");
        return new Draft(HazardCode.WRONG_PARITY, names.location(mixed), by.block()).on(names.place(barrier))
                .by(names.access(mixed, by, "goes by another stage")).against(arrives)
                .says(names.at(mixed, by.block()) + arrives + " at barrier " + barrier.name() + " again, in its phase "
                        + barrier.phase() + ", which is not complete, when it has waited for barrier " + waited.name())
                .wants(mixes(by, mixed, right)).fixedBy(RIGHT_STAGE);
    }

    /** A thread waits for ever for the barrier of another stage than it goes on with. @param next its next arrival */
    public Draft staysAtAnotherStage(ThreadClock waiter, int step, Barrier barrier, int next) {
        Access waits = names.access(step, waiter, "waits");
        return new Draft(HazardCode.WRONG_PARITY, waits).on(names.place(barrier))
                .says(waits + " for ever for phase " + barrier.phase() + " of barrier " + barrier.name())
                .wants(mixes(waiter, step, next)).fixedBy(RIGHT_STAGE);
    }

    private static String mixes(ThreadClock by, int mixed, int right) {
        return "step " + mixed + " of thread " + by.thread() + " of block " + by.block()
                + " is for another stage than step " + right + ", and so than what it does in between";
    }

    private Draft missed(Window wait, Barrier barrier, int step, String why, String fix) {
        Access waits = names.access(wait.step(), wait.thread(), "waits");
        return new Draft(HazardCode.WRONG_PARITY, names.location(step), wait.thread().block())
                .on(names.place(barrier)).by(waits)
                .says((step == wait.step() ? "" : names.at(step, wait.thread().block())) + waits + " for barrier "
                        + barrier.name() + ", whose phase " + wait.phase() + " may be complete by then")
                .wants(why).fixedBy(fix);
    }

    public Draft parityNeverComes(ThreadClock waiter, int step, long parity, Barrier barrier) {
        Access waits = names.access(step, waiter, "waits");
        return new Draft(HazardCode.WRONG_PARITY, waits)
                .says(waits + " for parity " + parity + " of barrier " + barrier.name()
                        + ", and no thread arrives in its phase " + barrier.phase() + "; phase "
                        + (barrier.phase() - 1) + " is complete")
                .fixedBy("wait for parity " + (1 - parity));
    }

    // ---- bytes

    public Draft announcedTooLate(ThreadClock thread, int step, Barrier barrier, long phase) {
        Access announces = names.access(step, thread, "announces bytes");
        return new Draft(HazardCode.TX_LATE, announces)
                .against(names.access(barrier.notes().shortPhase().copy(), "copies"))
                .says(announces + " for phase " + phase + " of barrier " + barrier.name() + " when phase "
                        + barrier.notes().shortPhase().phase() + ", in which their copy started, is complete")
                .fixedBy("announce them before the arrival, or with it");
    }

    /** @param step the one at fault @param copy one whose bytes are not announced */
    public Draft tooFewBytesAnnounced(Barrier barrier, int step, CopyCompletion copy) {
        return new Draft(HazardCode.TX_TOO_SMALL, names.location(step), barrier.owner())
                .against(names.access(copy, "copies"))
                .says(names.at(step, barrier.owner()) + "fewer bytes are announced on barrier " + barrier.name()
                        + " than its copies bring" + bytes(barrier))
                .fixedBy("announce the bytes of all copies that complete on it");
    }

    /** @param inCluster whether a copy may go to several blocks */
    public Draft tooManyBytesAnnounced(Barrier barrier, boolean inCluster) {
        int step = barrier.bytes().announceStep();
        String inMasks = inCluster ? ", with this block in the masks of the copies that go to several" : "";
        return new Draft(HazardCode.TX_TOO_LARGE, names.location(step), barrier.owner())
                .by(names.access(step, barrier.bytes().announcer(), "announces bytes"))
                .says(names.at(step, barrier.owner()) + "more bytes are announced on barrier " + barrier.name()
                        + " than copies bring" + bytes(barrier))
                .fixedBy("announce the bytes of the copies that complete on it, and start all of them" + inMasks);
    }

    /** A copy completes on another mbarrier than the one that waits for its bytes. */
    public Draft bytesGoElsewhere(Barrier barrier, Barrier other) {
        int step = other.bytes().lastCounted().step();
        PhaseBytes bytes = barrier.bytes();
        return new Draft(HazardCode.TX_TOO_LARGE, names.location(step), barrier.owner())
                .against(names.access(bytes.announceStep(), bytes.announcer(), "announces bytes"))
                .says(names.at(step, barrier.owner()) + "its bytes are counted on barrier " + other.name()
                        + bytes(other) + ", while barrier " + barrier.name() + " waits for "
                        + (bytes.announced() - bytes.started()) + " more bytes")
                .fixedBy("let the copy complete on the barrier on which "
                        + names.location(bytes.announceStep()) + " announces its bytes");
    }

    public Draft multicastLeavesOut(Barrier barrier, int copyStep, int mask, int rank) {
        PhaseBytes bytes = barrier.bytes();
        long missing = bytes.announced() - bytes.started();
        return new Draft(HazardCode.MULTICAST_MISSING_CTA, names.location(copyStep), barrier.owner())
                .against(names.access(bytes.announceStep(), bytes.announcer(), "announces bytes"))
                .says(names.location(copyStep) + " copies to the blocks of mask 0x" + Integer.toHexString(mask)
                        + ", where the block of rank " + rank + " is missing; barrier " + barrier.name()
                        + " of block " + barrier.owner() + " waits for " + missing + " more bytes")
                .fixedBy("set bit " + rank + " of the mask");
    }

    private static String bytes(Barrier barrier) {
        PhaseBytes bytes = barrier.bytes();
        return bytes.started() == bytes.announced() ? ""
                : ": " + bytes.announced() + " announced in phase " + barrier.phase() + ", " + bytes.started()
                        + " under way";
    }
}
