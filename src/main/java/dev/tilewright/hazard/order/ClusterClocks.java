package dev.tilewright.hazard.order;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The clocks of one cluster's threads: what they learn of each other when they meet. Its threads have the first slots
 * of its clocks, by block and thread; mbarriers get the slots after those.
 */
public final class ClusterClocks {
    private final int firstBlock;
    private final int blocks;
    private final int number;
    private ThreadClock[] threads;
    private int slots;
    /**
     * What threads knew that have arrived at the cluster's barrier, and what those learn that pass it, by its openings.
     */
    private final Map<Long, ClockAccumulator> arrivals = new HashMap<>();
    private final Map<Long, Clock> openings = new HashMap<>();
    /** What relaxed arrivals did not make known, by openings. */
    private final Map<Long, List<Gap>> relaxed = new HashMap<>();

    /** @param firstBlock the number of the cluster's first block in the grid @param threads of a block */
    public ClusterClocks(int firstBlock, int blocks, int threads) {
        this.firstBlock = firstBlock;
        this.blocks = blocks;
        this.number = firstBlock / blocks;
        this.threads = new ThreadClock[blocks * threads];
        Arrays.setAll(this.threads, slot -> new ThreadClock(this, firstBlock + slot / threads, slot % threads, slot));
        slots = this.threads.length;
    }

    public ThreadClock thread(int slot) {
        return threads[slot];
    }

    /** Its number in the grid. */
    int number() {
        return number;
    }

    /** How many blocks it has. */
    int blocks() {
        return blocks;
    }

    /** The rank of a thread's block. */
    int rank(ThreadClock thread) {
        return thread.block() - firstBlock;
    }

    /** A slot for the phases of an mbarrier. */
    public int newSlot() {
        return slots++;
    }

    /** A sum of clocks of this cluster. */
    public ClockAccumulator accumulator() {
        return new ClockAccumulator(slots);
    }

    /** The threads from the first slot to the last know all that any of them knows. */
    public void meet(int first, int last) {
        ClockAccumulator all = accumulator();
        for (int i = first; i <= last; i++) {
            all.add(threads[i]);
        }
        Clock clock = all.clock();
        for (int i = first; i <= last; i++) {
            threads[i].meet(clock);
        }
    }

    /** These threads know all that any of them knows. */
    public void meet(List<ThreadClock> meeting) {
        ClockAccumulator all = accumulator();
        meeting.forEach(all::add);
        Clock clock = all.clock();
        meeting.forEach(thread -> thread.meet(clock));
    }

    /**
     * These threads have come together, and no access of any is ordered by it: each knows of the waits that the others
     * have passed, and what those have told them has happened. What they have stored or counted since need not be there
     * yet.
     */
    public void meetInTime(List<ThreadClock> meeting) {
        ClockAccumulator all = accumulator();
        meeting.forEach(thread -> thread.addWaitsTo(all));
        Clock clock = all.clock();
        meeting.forEach(thread -> thread.learnInTime(clock));
    }

    /**
     * A thread arrives at the cluster's barrier.
     *
     * @param opened how often the barrier has opened before
     * @param releases whether the arrival makes known what the thread knows
     */
    public void arrive(ThreadClock thread, long opened, boolean releases, int step) {
        thread.arriveAtCluster(opened, releases, arrivals.computeIfAbsent(opened, _ -> accumulator()), step,
                relaxed.computeIfAbsent(opened, _ -> new ArrayList<>(0)));
    }

    /** A thread passes the cluster's barrier, at which it has arrived. */
    public void pass(ThreadClock thread) {
        long opened = thread.arrivedAtCluster();
        arrivals.remove(opened - 2);
        openings.remove(opened - 2);
        relaxed.remove(opened - 2);
        thread.passCluster(openings.computeIfAbsent(opened, o -> arrivals.get(o).clock()), relaxed.get(opened));
    }

    /** The cluster has ended: only what its threads did to global memory is still of interest. */
    public void forget() {
        for (ThreadClock thread : threads) {
            thread.forget();
        }
        threads = null;
        arrivals.clear();
        openings.clear();
        relaxed.clear();
    }
}
