package dev.tilewright.reference.state;

import dev.tilewright.reference.box.ByteRows;
import dev.tilewright.reference.box.RowCopies;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.random.RandomGenerator;

/**
 * The bulk stores of one thread that are not finished, cut into bulk groups. A store reads shared memory at some time
 * before a wait for its group with {@code .read} ends, and has written its destination when one without ends, or the
 * thread: here each happens as late as that, or when a seed says. Where nothing in the program could see the difference
 * ({@code Traits.rereadsStores}), both happen together. Sources: PTX ISA, "cp.async.bulk.commit_group",
 * "cp.async.bulk.wait_group".
 *
 * <p>What lies in shared memory as it was loaded from memory that nothing writes ({@link SharedMemory#lend}) is copied
 * from there ({@link RowCopies}).
 */
public final class BulkStoreQueue {

    private static final class Store {
        private final Transfer transfer;
        private final int address;
        private final int bytes;
        /** The destination as rows; null where it is not as simple. */
        private final ByteRows rows;
        private boolean isRead;
        /** The source, where it is rows of global memory that lie as the destination does. */
        private ByteRows lent;
        /** The source as it was read; null before, and where the source still is as it was. */
        private SharedMemory source;
        private SharedMemory.Want want;
        private boolean written;

        Store(Transfer transfer, int address, int bytes, ByteRows rows) {
            this.transfer = transfer;
            this.address = address;
            this.bytes = bytes;
            this.rows = rows;
        }
    }

    private final SharedMemory shared;
    private final RowCopies copies;
    private final boolean split;
    private final ArrayDeque<Store> unfinished = new ArrayDeque<>();
    /** How many stores each closed group has. */
    private final ArrayDeque<Integer> groups = new ArrayDeque<>();
    private int open;

    /** @param copies of all threads @param split whether reading and writing are told apart */
    BulkStoreQueue(SharedMemory shared, RowCopies copies, boolean split) {
        this.shared = shared;
        this.copies = copies;
        this.split = split;
    }

    /** @param address where the source starts @param bytes how far it goes */
    public void start(Transfer store, int address, int bytes) {
        start(store, address, bytes, null);
    }

    /** @param rows the destination, where it is as simple as that; else null */
    public void start(Transfer store, int address, int bytes, ByteRows rows) {
        unfinished.add(new Store(store, address, bytes, rows));
        open++;
    }

    public void commit() {
        groups.add(open);
        open = 0;
    }

    /** Finishes all closed groups but the youngest few. */
    public void waitFor(int pending) {
        while (groups.size() > pending) {
            for (int i = groups.remove(); i > 0; i--) {
                write(unfinished.remove());
            }
        }
        if (split) {
            copies.carryOut();
        } else {
            // Another block may have waited for this thread, and write the same bytes next.
            copies.mayWait();
        }
    }

    /** Reads the sources of all closed groups but the youngest few. */
    public void waitForRead(int pending) {
        if (!split) {
            waitFor(pending);
            return;
        }
        Iterator<Store> oldest = unfinished.iterator();
        int toRead = groups.size() - pending;
        for (int stores : groups) {
            if (toRead-- <= 0) {
                return;
            }
            for (int i = 0; i < stores; i++) {
                read(oldest.next());
            }
        }
    }

    /** Whether some store is not finished. */
    public boolean isUnderWay() {
        return !unfinished.isEmpty();
    }

    /** Finishes everything, committed or not: the thread ends. Leaves the queue as new. */
    void finish() {
        groups.clear();
        open = 0;
        while (!unfinished.isEmpty()) {
            write(unfinished.remove());
        }
        copies.mayWait();
    }

    /**
     * Takes some store one step further: its source is read, or its destination written. @return whether any could be
     */
    public boolean advanceOne(RandomGenerator random) {
        int candidates = 0;
        for (Store s : unfinished) {
            candidates += s.written ? 0 : 1;
        }
        if (candidates == 0) {
            return false;
        }
        Store s = unwritten(random.nextInt(candidates));
        if (s.isRead) {
            write(s);
            copies.mayWait();
        } else {
            read(s);
        }
        return true;
    }

    /** The store that is not written and has {@code before} such stores in front of it. */
    private Store unwritten(int before) {
        for (Store s : unfinished) {
            if (!s.written && before-- == 0) {
                return s;
            }
        }
        throw new IllegalStateException("fewer stores are not written");
    }

    /** Writes the destination of the oldest store that has not. @return false if all have */
    public boolean writeOldest() {
        for (Store s : unfinished) {
            if (!s.written) {
                write(s);
                copies.mayWait();
                return true;
            }
        }
        return false;
    }

    private void read(Store s) {
        if (!s.isRead) {
            s.isRead = true;
            s.lent = lent(s);
            if (s.lent != null) {
                return;
            }
            s.want = shared.want(s.address, s.bytes, () -> s.source = shared.copyOf(s.address, s.bytes));
        }
    }

    private void write(Store s) {
        if (s.written) {
            return;
        }
        ByteRows lent = s.isRead ? s.lent : lent(s);
        if (lent != null) {
            copies.copy(lent, s.rows);
        } else {
            copies.carryOut();
            writeFromShared(s);
        }
        s.written = true;
    }

    private void writeFromShared(Store s) {
        if (s.source == null) {
            if (s.isRead) {
                shared.withdraw(s.want);
            }
            s.transfer.carryOut(shared, s.address);
        } else {
            s.transfer.carryOut(s.source, SharedMemory.homeOf(s.address));
        }
    }

    private ByteRows lent(Store s) {
        ByteRows lent = s.rows == null ? null : shared.lentAt(s.address, s.bytes);
        return lent != null && lent.liesAs(s.rows) ? lent : null;
    }
}
