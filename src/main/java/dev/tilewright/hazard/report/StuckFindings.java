package dev.tilewright.hazard.report;

import dev.tilewright.Counted;
import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.StepLocation;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.reference.schedule.ThreadNumbers;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What is said where threads wait for ever: what is not brought about, who should, and where in the program. */
public record StuckFindings(ProgramNames names) {
    /** Threads, the first of which is named as the one that waits. @param step where they wait */
    public record Waiting(List<ThreadClock> threads, int step) { }

    /**
     * One of several waits, each for the next.
     *
     * @param barrier that they wait for; null for something else
     * @param supplier a thread that could bring it about, and waits itself
     * @param supply the step by which it would; 0 where that cannot be told
     */
    public record Link(Waiting waiting, Barrier barrier, ThreadClock supplier, int supply) { }

    private static final String NO_STEP = "no step of the program arrives there";

    // ---- a phase of an mbarrier that lacks arrivals

    /**
     * The program has no step that arrives there.
     *
     * @param should threads that wait for those who wait; null for none
     * @param after the step after which an arrival is missing; 0 where that cannot be told
     * @param copies whether that step starts a copy that an arrival has to follow
     */
    public Draft noStepArrives(Barrier barrier, Waiting waiting, Waiting should, int after, boolean copies) {
        String how = copies ? ", by cp.async.mbarrier.arrive.noinc" : "";
        return lacking(barrier, waiting, after == 0 ? waiting.step : after, NO_STEP,
                should != null && barrier.pendingArrivals() <= should.threads.size()
                        ? whoShould(barrier, should, after, how)
                        : after == 0 ? "let the threads whose work they wait for arrive there"
                        : "let those who perform step " + after + " arrive after it" + how);
    }

    private String whoShould(Barrier barrier, Waiting should, int after, String how) {
        long lacking = barrier.pendingArrivals();
        boolean all = lacking >= should.threads.size();
        return "let " + (all ? "" : lacking == 1 ? "one of " : lacking + " of ") + who(should.threads) + ", which "
                + (should.threads.size() == 1 ? "waits" : "wait") + " in " + names.location(should.step)
                + ", arrive after step " + after + how + (all ? "" : " and a __syncwarp()");
    }

    /** The program has no step that arrives there, only one that announces or copies its bytes. */
    public Draft onlyBytesCome(Barrier barrier, Waiting waiting, ThreadClock thread, int step, boolean announces) {
        return lacking(barrier, waiting, step, NO_STEP + ": " + names.access(step, thread,
                announces ? "announces bytes, which is no arrival" : "lets a copy bring bytes, which is no arrival"),
                announces ? "arrive with the announcement: mbarrier.arrive.expect_tx"
                        : "announce the bytes with an arrival, before the copy: mbarrier.arrive.expect_tx");
    }

    /**
     * All that arrives there follows copies, each time added to what the phase takes.
     *
     * @param stores whether threads store there as well, of which an arrival of its own has to tell
     */
    public Draft onlyAddedArrivals(Barrier barrier, Waiting waiting, int step, boolean stores) {
        return lacking(barrier, waiting, step, "step " + step
                + " adds one arrival to the phase before it makes it: without .noinc the barrier's initial count does "
                + "not include it",
                stores ? "let the threads arrive as well, after step " + step
                        : "use .noinc there, or let the threads arrive as well");
    }

    /**
     * Threads that arrived in the phase before do so no more.
     *
     * @param step by which they did
     * @param ended whether they have ended
     */
    public Draft arriveNoMore(Barrier barrier, Waiting waiting, List<ThreadClock> absent, int step, boolean ended) {
        return lacking(barrier, waiting, step, who(absent) + " arrived in an earlier phase, by step " + step + ", and "
                + (ended ? have(absent) + " ended" : "will not again"),
                "let the arrivals be as many as the phases that are waited for, or leave out the wait");
    }

    /** The arrivals that this phase lacks went to another barrier. */
    public Draft arrivedElsewhere(Barrier barrier, Waiting waiting, List<ThreadClock> threads, int step, String other) {
        return lacking(barrier, waiting, step, who(threads) + " arrived at " + other + " by step " + step + " instead",
                "arrive at " + barrier.name() + " there");
    }

    /** Threads went past a step that arrives there. @param guard that may keep them from it; 0 for none */
    public Draft wentPast(Barrier barrier, Waiting waiting, List<ThreadClock> threads, int step, int guard) {
        return guard == 0 ? lacking(barrier, waiting, step, who(threads) + " did not arrive there by step " + step,
                "let " + them(threads) + " arrive there once a phase, by that step or another")
                : lacking(barrier, waiting, step, who(threads) + " did not perform step " + step
                        + ", which arrives there", "let " + them(threads) + " perform it once a phase"
                        + decides(guard));
    }

    /** Fewer threads arrive than the barrier was initialised for, and that is what too few arrive for. */
    public Draft tooFewArrive(Barrier barrier, Waiting waiting, List<ThreadClock> arrived, int step, int guard) {
        return lacking(barrier, waiting, step, "only " + who(arrived) + " perform" + (arrived.size() == 1 ? "s " : " ")
                + names.location(step) + ", which arrives there",
                "let more threads perform it" + decides(guard) + "; or, where those who do not need not, initialise it"
                        + ", in " + names.location(barrier.init().step()) + ", with fewer arrivals");
    }

    /** No thread may come to the step that arrives there. */
    public Draft noThreadArrives(Barrier barrier, Waiting waiting, int step, int guard) {
        return lacking(barrier, waiting, step,
                "no thread performs step " + step + " for it, which arrives at such barriers",
                "let the threads that should perform it" + decides(guard));
    }

    /** All threads that are to arrive have, and it was initialised for more. */
    public Draft initialisedForMore(Barrier barrier, Waiting waiting, List<ThreadClock> arrived, int step) {
        return lacking(barrier, waiting, barrier.init().step(), who(arrived) + " " + have(arrived) + " arrived, by "
                + names.location(step) + ", and no other thread is to",
                "initialise it with " + (barrier.expectedArrivals() - barrier.pendingArrivals())
                        + ", or let more threads arrive");
    }

    private String decides(int guard) {
        return guard == 0 ? "" : ": " + names.location(guard) + " decides on it";
    }

    private Draft lacking(Barrier barrier, Waiting waiting, int step, String why, String fix) {
        Access waits = waits(waiting);
        return new Draft(HazardCode.WRONG_ARRIVAL_COUNT, names.location(step), barrier.owner())
                .by(waits).against(waits)
                .says(names.at(step, barrier.owner()) + phase(barrier) + " lacks " + lacks(barrier)
                        + ", and " + waits + " for it")
                .wants(why).fixedBy(fix);
    }

    private Access waits(Waiting waiting) {
        return names.access(waiting.step, waiting.threads.getFirst(), "waits");
    }

    // ---- others

    /** The first wait of those who fill comes before anything can have been handed back. */
    public Draft waitsBeforeTheFirst(Barrier barrier, Waiting waiting, long parity, Link back,
            Waiting others) {
        return waitsForPhase0(barrier, waiting, parity)
                .wants(names.access(back.supply, back.supplier, "is to arrive there") + ", after "
                        + names.location(others.step) + " has waited for what comes after this wait")
                .fixedBy("wait for parity " + (1 - parity) + " first, which passes on a fresh barrier; or let those"
                        + " threads arrive once before");
    }

    /**
     * Threads are to take turns, and each waits for another.
     *
     * @param others who are to arrive, after they have waited in the same step for another barrier
     */
    public Draft noneHasTheFirstTurn(Barrier barrier, Waiting waiting, long parity, List<ThreadClock> others,
            int arrival) {
        return waitsForPhase0(barrier, waiting, parity)
                .wants(who(others) + (others.size() == 1 ? " is" : " are") + " to arrive there, by "
                        + names.location(arrival) + ", after the same wait for another barrier of the array,"
                        + " and none of them has the first turn")
                .fixedBy("let those who come first wait for parity " + (1 - parity)
                        + " first, which passes on a fresh barrier; or arrive once for them before");
    }

    private Draft waitsForPhase0(Barrier barrier, Waiting waiting, long parity) {
        Access waits = waits(waiting);
        return new Draft(HazardCode.WRONG_PARITY, waits).says(waits + " for parity " + parity + " of barrier "
                + barrier.name() + ", whose phase 0 lacks " + lacks(barrier));
    }

    /**
     * Threads wait for a phase that they are to arrive in themselves, afterwards.
     *
     * @param movable whether all that the arrival needs is known before the wait
     */
    public Draft arrivesAfterItsWait(Barrier barrier, Waiting waiting, int arrival, boolean movable) {
        Access waits = waits(waiting);
        return new Draft(HazardCode.DEADLOCK, names.location(arrival), waits.block()).by(waits).against(waits)
                .says(names.at(arrival, waits.block()) + phase(barrier) + " lacks " + lacks(barrier) + ", and " + waits
                        + " for it")
                .wants(who(waiting.threads) + (waiting.threads.size() == 1 ? " arrives" : " arrive")
                        + " there after that wait, by step " + arrival)
                .fixedBy(movable ? "arrive before the wait" : "let " + them(waiting.threads) + " arrive there before"
                        + " the wait, by another step, or wait for a phase that already has the arrival");
    }

    /** Threads wait for each other in a ring. */
    public Draft ring(List<Link> links) {
        Link first = links.getFirst();
        Access waits = waits(first.waiting);
        StringBuilder text = new StringBuilder(waits + " for " + what(first));
        for (int i = 0; i < links.size(); i++) {
            Link link = links.get(i);
            Link next = links.get((i + 1) % links.size());
            text.append(", which ").append(link.supply == 0 ? one(link.supplier) + " does not reach"
                    : one(link.supplier) + " is to bring about by " + names.location(link.supply));
            text.append(" while it waits in ").append(names.location(next.waiting.step)).append(" for ")
                    .append(i + 1 == links.size() ? "that of the first" : what(next));
        }
        Link second = links.get(1 % links.size());
        return new Draft(HazardCode.DEADLOCK, waits)
                .against(waits(second.waiting))
                .says(text.toString())
                .wants("each waits for the next")
                .fixedBy("let one of them do what the other waits for before it waits");
    }

    /** Some threads of the block never come to a {@code __syncthreads()}. @param ended those who have ended */
    public Draft blockNeverMeets(Waiting waiting, List<ThreadClock> ended, int guard) {
        return neverMeet(HazardCode.DEADLOCK, waiting, "__syncthreads()", ended, guard);
    }

    /** Some lanes never come to a step that lanes of a warp perform together. */
    public Draft warpNeverMeets(Waiting waiting, int guard) {
        return neverMeet(HazardCode.WARP_DIVERGED, waiting, "a step that lanes of a warp perform together", List.of(),
                guard);
    }

    /** Some threads never come to the cluster's barrier. */
    public Draft clusterNeverMeets(Waiting waiting, int guard) {
        return neverMeet(HazardCode.DEADLOCK, waiting, "the cluster's barrier", List.of(), guard);
    }

    private Draft neverMeet(HazardCode code, Waiting waiting, String what, List<ThreadClock> ended, int guard) {
        StepLocation at = names.location(waiting.step);
        int block = waiting.threads.getFirst().block();
        return new Draft(code, at, block)
                .says(names.at(waiting.step, block) + who(waiting.threads)
                        + (waiting.threads.size() == 1 ? " waits at " : " wait at ") + what
                        + (ended.isEmpty() ? "" : ", and " + who(ended) + " " + have(ended)
                                + " ended without coming there"))
                .wants("no thread that is missing there comes any more")
                .fixedBy("let all of them reach it"
                        + (code == HazardCode.WARP_DIVERGED ? ", or name those who do in the mask" : "")
                        + (guard == 0 ? "" : ": " + names.location(guard) + " lets only some"));
    }

    /**
     * A named barrier to which too few threads come.
     *
     * @param count of threads that it is for, where that can be told
     * @param came who has
     * @param forOthers a step at the barrier that is for another number of threads; 0 for none
     */
    public Draft tooFewCome(Waiting waiting, int barrier, OptionalLong count, List<ThreadClock> came, int forOthers,
            int guard) {
        int block = waiting.threads.getFirst().block();
        return new Draft(HazardCode.NAMED_BARRIER_MISMATCH, names.location(waiting.step), block)
                .says(names.at(waiting.step, block) + who(waiting.threads)
                        + (waiting.threads.size() == 1 ? " waits" : " wait") + " at named barrier " + barrier
                        + ", to which " + Counted.of(came.size(), "thread") + " " + have(came) + " come, fewer than "
                        + (count.isPresent() ? "the " + count.getAsLong() + " that it is for" : "it is for"))
                .wants(forOthers == 0 ? "no other thread comes there any more"
                        : names.location(forOthers) + " comes there for another number of threads, and all have to"
                                + " come for the same")
                .fixedBy("make the number of threads that it is for the number of those who come"
                        + (guard == 0 ? "" : ", or let more come: " + names.location(guard) + " lets only some"));
    }

    /** A value that no thread stores any more. @param writers steps that may store it */
    public Draft valueNeverComes(Waiting waiting, List<Integer> writers) {
        return waitsForValue(waiting)
                .wants(writers.isEmpty() ? "no step of the program stores there"
                        : "stores there are " + writers.stream().map(s -> names.location(s).toString())
                                .collect(Collectors.joining(", ")));
    }

    /** A value that no thread stores any more: another is there. @param storer who stored it, by what step */
    public Draft valueStays(Waiting waiting, long value, ThreadClock storer, int step) {
        Access stores = names.access(step, storer, "stored");
        return waitsForValue(waiting).against(stores)
                .wants("the one that is there is " + value + ", which " + stores + " last");
    }

    private Draft waitsForValue(Waiting waiting) {
        Access waits = waits(waiting);
        return new Draft(HazardCode.DEADLOCK, waits).says(waits + " for a value that no thread stores any more")
                .fixedBy("store the value that is waited for, or wait for the one that is stored");
    }

    // ---- parts

    private static String phase(Barrier barrier) {
        return "phase " + barrier.phase() + " of barrier " + barrier.name();
    }

    private static String lacks(Barrier barrier) {
        long all = barrier.expectedArrivals();
        return all == 1 ? "its only arrival" : barrier.pendingArrivals() + " of its " + Counted.of(all, "arrival");
    }

    private String what(Link link) {
        return link.barrier == null ? "what is met or read there" : phase(link.barrier);
    }

    private static String one(ThreadClock thread) {
        return "thread " + thread.thread() + " of block " + thread.block();
    }

    private static String them(List<ThreadClock> threads) {
        return threads.size() == 1 ? "it" : "them";
    }

    private static String have(List<ThreadClock> threads) {
        return threads.size() == 1 ? "has" : "have";
    }

    /** Threads by their numbers, and their blocks. */
    static String who(List<ThreadClock> threads) {
        Map<Integer, List<Integer>> byBlock = threads.stream()
                .sorted(Comparator.comparing(ThreadClock::block).thenComparing(ThreadClock::thread))
                .collect(Collectors.groupingBy(ThreadClock::block, TreeMap::new,
                        Collectors.mapping(ThreadClock::thread, Collectors.toList())));
        return byBlock.entrySet().stream().map(e -> ThreadNumbers.text(e.getValue()) + " of block " + e.getKey())
                .collect(Collectors.joining(" and "));
    }
}
