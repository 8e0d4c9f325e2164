package dev.tilewright.reference.state;

/** One thread of a block between two of its steps: its registers, where it is, and what it has started. */
public final class ThreadState {

    /** What a thread does when its turn comes. */
    public enum Status {
        /** Goes on at {@link #pc}. */
        RUNNABLE(true),
        /** Tries its wait again: it is at {@link #waitsFor}. */
        AT_BARRIER(true),
        /** Tries its test again, which may fail: it is at {@link #waitsFor}. */
        POLLING(true),
        /** Tries its wait again: a value in memory is not yet what it waits for. */
        AT_VALUE(true),
        /** Nothing: it is at a block-wide barrier. */
        AT_SYNC_THREADS(false),
        /** Nothing: it is at an instruction for its whole warp. */
        AT_WARP(false),
        /** Nothing: its warp has come to a named barrier, which has not opened. */
        AT_NAMED_BARRIER(false),
        /** Nothing: it is at the barrier of its cluster. */
        AT_CLUSTER(false),
        EXITED(false);

        /** Whether it takes a turn. */
        public final boolean tries;

        Status(boolean tries) {
            this.tries = tries;
        }
    }

    /** In place of an arrival. */
    static final long NONE = -1;

    public final BlockState block;
    /** The thread's number within the block. */
    public final int index;
    /** Variables, fragments (16 bytes are two slots, low half first) and tokens. */
    public final long[] slots;
    public final CpAsyncQueue copies;
    public final BulkStoreQueue stores;
    /** What of this comes from bytes that nothing has written. */
    public final UndefinedValues undefined;
    /** Number of the next operation. */
    public int pc;
    public Status status;
    /** The barrier of the wait that did not pass. */
    public Mbarrier waitsFor;
    /** The lanes with which it performs an instruction together; null for none. */
    public LaneGroup group;
    /** Whether the test that it is at may fail now, having waited. */
    public boolean givesUp;
    /** How often it has begun another turn of a loop that may wait for what others do. */
    public long again;
    /** The tests that failed. */
    public final Polls polls = new Polls();
    /** How often the cluster's barrier had opened when the thread arrived at it; {@link #NONE} when it has not. */
    long clusterArrival;

    ThreadState(BlockState block, int index, long[] slots, boolean splitStores) {
        this.block = block;
        this.index = index;
        this.slots = slots.clone();
        this.undefined = new UndefinedValues(slots.length);
        this.copies = new CpAsyncQueue(block.shared());
        this.stores = new BulkStoreQueue(block.shared(), block.cluster().copies(), splitStores);
    }

    /** Keeps a result. @param slot {@link Slots#NONE} where it is not wanted */
    public void keep(int slot, long value) {
        if (slot != Slots.NONE) {
            slots[slot] = value;
        }
    }

    /** Back to the start of the kernel. */
    public void restart() {
        pc = 0;
        status = Status.RUNNABLE;
        waitsFor = null;
        group = null;
        givesUp = false;
        polls.forget();
        undefined.restart();
        clusterArrival = NONE;
        copies.forget();
    }
}
