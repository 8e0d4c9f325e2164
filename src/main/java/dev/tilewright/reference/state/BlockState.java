package dev.tilewright.reference.state;

import dev.tilewright.program.Warp;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Everything that one block holds while it runs; used for one block after the other. */
public final class BlockState {
    private final ClusterState cluster;
    private final int rank;
    private final SharedMemory shared;
    private final Mbarrier[] barriers;
    /** Barriers that the program makes outside its barrier arrays, by their shared addresses. */
    private final Map<Integer, Mbarrier> scattered = new HashMap<>();
    private final int[] barrierAddresses;
    private final ThreadState[] threads;
    private final DecodedMaps maps = new DecodedMaps();
    private final DefinedBytes defined = new DefinedBytes();
    private final WarpConvergence warps;
    private final WarpConvergence warpgroups;
    private final NamedBarriers named = new NamedBarriers(this);
    private final byte poison;
    private final Election election;
    private int index;
    private int live;
    private int atSyncThreads;

    BlockState(BlockLayout layout, ClusterState cluster, int rank) {
        this.cluster = cluster;
        this.rank = rank;
        this.poison = layout.poison();
        this.election = layout.election();
        shared = new SharedMemory(layout.sharedBytes(), layout.eager());
        barriers = layout.barriers().stream().map(b -> new Mbarrier(b.name(), b.address())).toArray(Mbarrier[]::new);
        barrierAddresses = layout.barriers().stream().mapToInt(BlockLayout.Barrier::address).toArray();
        threads = new ThreadState[layout.threads()];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new ThreadState(this, i, layout.slots(), layout.splitStores());
        }
        warps = new WarpConvergence(threads, Warp.LANES);
        warpgroups = new WarpConvergence(threads, WarpConvergence.WARPGROUP);
    }

    /** Makes everything but the threads new for another block; the last one ended well and left no load in flight. */
    void restart(int blockIndex) {
        index = blockIndex;
        shared.restart(poison);
        for (Mbarrier barrier : barriers) {
            barrier.restart(blockIndex);
        }
        if (!scattered.isEmpty()) {
            scattered.clear();
        }
        live = threads.length;
        atSyncThreads = 0;
        maps.restart();
        defined.restart();
        warps.restart();
        warpgroups.restart();
        named.restart();
    }

    public int index() {
        return index;
    }

    /** The block's number within its cluster. */
    public int rank() {
        return rank;
    }

    public ClusterState cluster() {
        return cluster;
    }

    public SharedMemory shared() {
        return shared;
    }

    /** What every byte of its shared memory held at the start. */
    public byte poison() {
        return poison;
    }

    public Election election() {
        return election;
    }

    public Mbarrier barrier(int number) {
        return barriers[number];
    }

    /** The barrier at a shared address, a multiple of 8; anything may hold one. */
    public Mbarrier barrierAt(int address) {
        int declared = Arrays.binarySearch(barrierAddresses, address);
        return declared >= 0 ? barriers[declared] : scattered.computeIfAbsent(address, this::scattered);
    }

    private Mbarrier scattered(int address) {
        Mbarrier barrier = new Mbarrier("at shared address " + address, address);
        barrier.restart(index);
        return barrier;
    }

    /** The mbarriers of its arrays, and mbarriers that the program initialised elsewhere. */
    public Stream<Mbarrier> barriers() {
        return Stream.concat(Arrays.stream(barriers), scattered.values().stream());
    }

    public ThreadState[] threads() {
        return threads;
    }

    /** What the threads of the cluster have started and barriers will be told of. */
    public InFlight inFlight() {
        return cluster.inFlight();
    }

    /** The tensor maps in global memory that the block has used. */
    public DecodedMaps maps() {
        return maps;
    }

    /** Which bytes of its shared memory have been written, in a run that is watched. */
    public DefinedBytes defined() {
        return defined;
    }

    public WarpConvergence warps() {
        return warps;
    }

    public WarpConvergence warpgroups() {
        return warpgroups;
    }

    public NamedBarriers named() {
        return named;
    }

    /** Whether it has a thread that has not exited. */
    boolean isAlive() {
        return live > 0;
    }

    public void exit(ThreadState thread) {
        thread.stores.finish();
        thread.status = ThreadState.Status.EXITED;
        live--;
        warps.exits(thread);
        cluster.exit(thread);
    }

    /** Threads end that have started nothing and that no thread waits for. */
    public void exitTogether(int count) {
        live -= count;
        cluster.exitTogether(count);
    }

    /** The number of threads at the block-wide barrier. */
    public void arrivedAtSyncThreads(int count) {
        atSyncThreads = count;
    }

    boolean isAtSyncThreads() {
        return atSyncThreads > 0;
    }

    /** A thread arrives at the block-wide barrier at {@code pc}; the last one lets all go on. */
    public void arriveAtSyncThreads(ThreadState thread, int pc) {
        if (named.isAwaited(0)) {
            throw new Fault(Kind.NAMED_BARRIER, "thread " + thread.index + " reaches __syncthreads(), which is "
                    + "barrier 0, while others wait for barrier 0 by its number: use one of 1 to 15 there");
        }
        thread.status = ThreadState.Status.AT_SYNC_THREADS;
        thread.pc = pc;
        if (++atSyncThreads < threads.length) {
            return;
        }
        for (ThreadState other : threads) {
            if (other.pc != pc) {
                throw new Fault(Kind.SYNC_THREADS, "thread " + thread.index + " is at this __syncthreads() while "
                        + "thread " + other.index + " is at another; all threads of a block must meet at the same one");
            }
        }
        atSyncThreads = 0;
        for (ThreadState other : threads) {
            other.pc = pc + 1;
            other.status = ThreadState.Status.RUNNABLE;
        }
    }
}
