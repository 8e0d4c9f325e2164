package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/** Everything that one block holds while it runs; used for one block after the other. */
final class BlockState {
    private final SharedMemory shared;
    private final Mbarrier[] barriers;
    private final ThreadState[] threads;
    private final LoadsInFlight loads = new LoadsInFlight();
    private final MapLedger maps = new MapLedger();
    private final WarpMeetings warps;
    private final byte poison;
    private int index;
    private int live;
    private int atSyncThreads;
    private long pass;

    BlockState(CompiledProgram program, byte poison) {
        this.poison = poison;
        shared = new SharedMemory(program.sharedBytes());
        barriers = program.barriers().stream().map(Mbarrier::new).toArray(Mbarrier[]::new);
        threads = new ThreadState[program.threads()];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new ThreadState(this, i, program.slots());
        }
        warps = new WarpMeetings(threads);
    }

    /** Makes everything new for another block; the last one ended well and left no load in flight. */
    void restart(int blockIndex) {
        index = blockIndex;
        shared.fill(poison);
        for (Mbarrier barrier : barriers) {
            barrier.forget();
        }
        for (ThreadState thread : threads) {
            thread.restart();
        }
        live = threads.length;
        atSyncThreads = 0;
        maps.restart();
        warps.restart();
    }

    int index() {
        return index;
    }

    SharedMemory shared() {
        return shared;
    }

    Mbarrier barrier(int number) {
        return barriers[number];
    }

    Mbarrier[] barriers() {
        return barriers;
    }

    ThreadState[] threads() {
        return threads;
    }

    LoadsInFlight loads() {
        return loads;
    }

    /** The tensor maps that the block has changed. */
    MapLedger maps() {
        return maps;
    }

    WarpMeetings warps() {
        return warps;
    }

    /** Threads that have not exited. */
    int live() {
        return live;
    }

    /** The number of the scheduler's present round over all threads, counted on from block to block. */
    long pass() {
        return pass;
    }

    void nextPass() {
        pass++;
    }

    void exit(ThreadState thread) {
        thread.stores.finish();
        thread.status = ThreadState.Status.EXITED;
        live--;
    }

    /** A thread comes to the block-wide barrier at {@code pc}; the last one lets all go on behind it. */
    void arriveAtSyncThreads(ThreadState thread, int pc) {
        thread.status = ThreadState.Status.AT_SYNC_THREADS;
        thread.pc = pc;
        if (++atSyncThreads < threads.length) {
            return;
        }
        for (ThreadState other : threads) {
            if (other.pc != pc) {
                throw new Fault(Kind.SYNC_THREADS, "thread " + thread.index + " is at this __syncthreads() while thread "
                        + other.index + " is at another; all threads of a block must meet at the same one");
            }
        }
        atSyncThreads = 0;
        maps.synced();
        for (ThreadState other : threads) {
            other.pc = pc + 1;
            other.status = ThreadState.Status.RUNNABLE;
        }
    }
}
