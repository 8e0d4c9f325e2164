package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.ClockAccumulator;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.Shadow;
import dev.tilewright.hazard.shadow.ShadowAccess;
import java.util.HashMap;
import java.util.Map;

/** What is known of one cluster while it runs: its threads, its shared memory, its barriers. */
public final class CheckedCluster {

    /** One block of it. */
    public static final class Block {
        final int index;
        final Shadow shared;
        private final Map<Integer, Barrier> barriers = new HashMap<>();
        /** The one that was asked for last. */
        private Barrier recent;
        /** What its threads knew when they ended. */
        final ClockAccumulator ends;
        /** The last accesses of other blocks to its shared memory, by thread, and copies from there that other blocks count. */
        final Map<Object, ShadowAccess> guests = new HashMap<>();
        int live;

        Block(int index, Shadow shared, int threads, int slots) {
            this.ends = new ClockAccumulator(slots);
            this.index = index;
            this.shared = shared;
            this.live = threads;
        }

        /** The barrier at an address; null if none has been initialised there. */
        Barrier barrier(int address) {
            if (recent == null || recent.address != address) {
                recent = barriers.get(address);
            }
            return recent;
        }

        void put(int address, Barrier barrier) {
            barriers.put(address, barrier);
            recent = null;
        }

        void remove(int address) {
            barriers.remove(address);
            recent = null;
        }

        Iterable<Barrier> barriers() {
            return barriers.values();
        }
    }

    public final int index;
    public final Block[] blocks;
    private ThreadClock[] actors;
    private final int threads;
    private final Map<Long, ClockAccumulator> arrivals = new HashMap<>();
    private final Map<Long, Clock> openings = new HashMap<>();
    private int slots;
    /** The blocks that the last multicast copy goes to, and its step; 0 for none. */
    public int lastMask;
    public int maskStep;

    public CheckedCluster(int index, int blocks, int threads) {
        this.index = index;
        this.threads = threads;
        this.blocks = new Block[blocks];
        this.actors = new ThreadClock[blocks * threads];
        for (int i = 0; i < actors.length; i++) {
            actors[i] = new ThreadClock(this, index * blocks + i / threads, i % threads, i);
        }
        slots = actors.length;
    }

    public int newSlot() {
        return slots++;
    }

    public Block block(int blockIndex) {
        return blocks[blockIndex - index * blocks.length];
    }

    public ThreadClock actor(int blockIndex, int thread) {
        return actors[(blockIndex - index * blocks.length) * threads + thread];
    }

    public ThreadClock[] actors() {
        return actors;
    }

    /** The threads of a block, from the first to the last of these, know all that any of them knows. */
    public void meet(int blockIndex, int first, int last) {
        ClockAccumulator all = new ClockAccumulator(slots);
        for (int i = first; i <= last; i++) {
            all.add(actor(blockIndex, i));
        }
        Clock clock = all.clock();
        for (int i = first; i <= last; i++) {
            ThreadClock a = actor(blockIndex, i);
            a.base = clock;
            a.atSync = 0;
            a.tell();
        }
    }

    public void arrive(ThreadClock actor, long opened, boolean release) {
        ClockAccumulator gathering = arrivals.computeIfAbsent(opened, _ -> new ClockAccumulator(slots));
        if (release) {
            gathering.add(actor);
            actor.tell();
        } else if (actor.fenced != null) {
            gathering.add(actor.fenced.clock());
        }
        actor.clusterArrived = opened;
    }

    public void pass(ThreadClock actor) {
        long opening = actor.clusterArrived;
        arrivals.remove(opening - 2);
        openings.remove(opening - 2);
        actor.learn(openings.computeIfAbsent(opening, o -> arrivals.get(o).clock()));
        actor.clusterPassed = opening + 1;
    }

    /** It has ended: only who touched global memory is still of interest. */
    public void forget() {
        for (ThreadClock a : actors) {
            a.forget();
        }
        actors = null;
        java.util.Arrays.fill(blocks, null);
        arrivals.clear();
        openings.clear();
    }
}
