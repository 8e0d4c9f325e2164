package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.order.NamedMeeting;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.program.Warp;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.fence.Direction;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAlias;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyAsyncRestrict;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import java.util.ArrayList;
import java.util.List;

/**
 * How threads come to know of each other by instructions that touch no memory: meetings of warps, blocks and clusters,
 * and fences.
 */
record MeetingTracker(RunState run, PhaseCheck phases) {

    /** A thread reaches a {@code __syncthreads()}. */
    void reachesSync(CheckedThread thread, int step) {
        thread.atSync = step;
    }

    /** All threads of a block meet. */
    void blockMeets(int block, int step) {
        CheckedCluster cluster = run.cluster(block);
        cluster.meet(block, 0, run.threads() - 1);
        for (int i = 0; i < run.threads(); i++) {
            CheckedThread thread = cluster.thread(block, i);
            thread.lastSync = step;
            thread.lastSyncTime = thread.clock.time();
        }
    }

    /** Threads of a block that form a warp meet. */
    void warpMeets(int block, int first, int last) {
        run.cluster(block).meet(block, first, last);
    }

    /**
     * Lanes of a warp wait for each other.
     *
     * @param orders whether each sees what the others did before; where the ISA says nothing of memory, as of shuffles,
     *     votes, elections and all that is {@code .aligned}, each knows only that the others have come so far
     */
    void lanesMeet(int block, int warp, int lanes, boolean orders) {
        CheckedCluster cluster = run.cluster(block);
        List<ThreadClock> clocks = clocks(threads(cluster, block, warp, lanes));
        if (orders) {
            cluster.clocks.meet(clocks);
        } else {
            cluster.clocks.meetInTime(clocks);
        }
    }

    private static List<CheckedThread> threads(CheckedCluster cluster, int block, int warp, int lanes) {
        List<CheckedThread> threads = new ArrayList<>(Integer.bitCount(lanes));
        for (int left = lanes; left != 0; left &= left - 1) {
            threads.add(cluster.thread(block, warp * Warp.LANES + Integer.numberOfTrailingZeros(left)));
        }
        return threads;
    }

    private static List<ThreadClock> clocks(List<CheckedThread> threads) {
        return threads.stream().map(t -> t.clock).toList();
    }

    /** A warp reaches a named barrier. @param waits whether it waits there */
    void arrivesAtNamed(int block, int warp, int lanes, int step, int barrier, boolean waits) {
        CheckedCluster cluster = run.cluster(block);
        List<CheckedThread> threads = threads(cluster, block, warp, lanes);
        NamedMeeting meeting = cluster.block(block).named(barrier);
        phases.comes(clocks(threads), step, meeting, barrier);
        meeting.arrive(clocks(threads), waits);
        threads.forEach(t -> t.atNamed = waits ? barrier : CheckedThread.NOWHERE);
    }

    /** A named barrier opens. @param waiting threads that go on */
    void namedOpens(int block, int barrier, List<Integer> waiting) {
        CheckedCluster cluster = run.cluster(block);
        List<CheckedThread> threads = waiting.stream().map(t -> cluster.thread(block, t)).toList();
        cluster.block(block).named(barrier).open(clocks(threads));
        threads.forEach(t -> t.atNamed = CheckedThread.NOWHERE);
    }

    /**
     * @param opened how often the cluster's barrier had opened before
     * @param releases whether all that came before is made known
     */
    void arrivesAtCluster(CheckedThread thread, long opened, boolean releases, int step) {
        if (!releases) {
            for (Barrier b : thread.cluster.block(thread.block()).barriers()) {
                b.init().arriveRelaxed(thread.clock, opened + 1);
            }
        }
        thread.cluster.clocks.arrive(thread.clock, opened, releases, step);
    }

    void passesCluster(CheckedThread thread) {
        thread.cluster.clocks.pass(thread.clock);
    }

    void fence(CheckedThread thread, FenceInstruction form, int step) {
        ThreadClock clock = thread.clock;
        switch (form) {
            case FenceProxyAsync f -> {
                FenceProxyAsync.Memory of = f.memory();
                boolean all = of == FenceProxyAsync.Memory.ALL;
                clock.proxyFence(all || of == FenceProxyAsync.Memory.GLOBAL, of == FenceProxyAsync.Memory.SHARED,
                        all || of == FenceProxyAsync.Memory.SHARED_CLUSTER);
                if (of != FenceProxyAsync.Memory.GLOBAL) {
                    fenceBarriers(thread);
                }
            }
            case FenceProxyAsyncRestrict f ->
                    clock.proxyFence(false, f.direction() == Direction.RELEASE, f.direction() == Direction.ACQUIRE);
            case FenceMbarrierInit _ -> fenceBarriers(thread);
            case Fence f -> clock.fence(f.strength() != Fence.Strength.RELEASE,
                    f.strength() != Fence.Strength.ACQUIRE, f.scope(), step);
            case FenceSyncRestrict f ->
                    clock.fence(f.direction() == Direction.ACQUIRE, f.direction() == Direction.RELEASE, Scope.CLUSTER,
                            step);
            // What is done with tensor maps has its own tracker; memory has one address here.
            case FenceProxyTensormapAcquire _, FenceProxyTensormapRelease _, FenceProxyAlias _ -> { }
        }
    }

    private static void fenceBarriers(CheckedThread thread) {
        for (Barrier b : thread.cluster.block(thread.block()).barriers()) {
            b.init().fence(thread.clock);
        }
    }
}
