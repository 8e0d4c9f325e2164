package dev.tilewright.reference;

import java.util.ArrayDeque;

/**
 * The bulk stores of one thread that have not been carried out, cut into bulk groups. A store reads shared memory, and
 * writes its destination, when the thread waits for its group, or when the thread ends; both kinds of wait count,
 * because the reference does not tell the reading of a source from the end of the copy. Sources: PTX ISA,
 * "cp.async.bulk.commit_group", "cp.async.bulk.wait_group".
 */
final class BulkStoreQueue {
    private final SharedMemory shared;
    private final ArrayDeque<Transfer> waiting = new ArrayDeque<>();
    /** How many stores each closed group has. */
    private final ArrayDeque<Integer> groups = new ArrayDeque<>();
    private int open;

    BulkStoreQueue(SharedMemory shared) {
        this.shared = shared;
    }

    void start(Transfer store) {
        waiting.add(store);
        open++;
    }

    void commit() {
        groups.add(open);
        open = 0;
    }

    /** Carries out all closed groups but the youngest few. */
    void waitFor(int pending) {
        while (groups.size() > pending) {
            for (int i = groups.remove(); i > 0; i--) {
                waiting.remove().carryOut(shared);
            }
        }
    }

    /** Carries out everything, committed or not: the thread ends. Leaves the queue as new. */
    void finish() {
        groups.clear();
        open = 0;
        while (!waiting.isEmpty()) {
            waiting.remove().carryOut(shared);
        }
    }
}
