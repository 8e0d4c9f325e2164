package dev.tilewright.reference;

/** One thread of a block between two of its steps: its registers, where it is, and what it has started. */
final class ThreadState {

    /** What a thread does when its turn comes. */
    enum Status {
        /** Goes on at {@link #pc}. */
        RUNNABLE,
        /** Tries its wait again: it is at {@link #waitsFor}. */
        AT_BARRIER,
        /** Nothing: it is at a block-wide barrier. */
        AT_SYNC_THREADS,
        /** Nothing: it is at an instruction for its whole warp. */
        AT_WARP,
        EXITED
    }

    final BlockState block;
    /** The thread's number within the block. */
    final int index;
    /** Variables, fragments (16 bytes are two slots, low half first) and tokens. */
    final long[] slots;
    final CpAsyncQueue copies;
    final BulkStoreQueue stores;
    /** Number of the next operation. */
    int pc;
    Status status;
    /** The barrier of the wait that did not pass. */
    Mbarrier waitsFor;

    ThreadState(BlockState block, int index, int slotCount) {
        this.block = block;
        this.index = index;
        this.slots = new long[slotCount];
        this.copies = new CpAsyncQueue(block.shared());
        this.stores = new BulkStoreQueue(block.shared());
    }

    /** Back to the start of the kernel. */
    void restart() {
        pc = 0;
        status = Status.RUNNABLE;
        waitsFor = null;
        copies.forget();
    }
}
