package dev.tilewright.reference;

import java.util.ArrayList;
import java.util.List;

/**
 * The bulk and tensor loads of a block that have not landed, in the order in which they were started. Each lands only
 * when its barrier is waited for and no thread of the block can go on otherwise: as late as the program allows.
 */
final class LoadsInFlight {

    /** One load and the step that started it. @param bytes what it counts on its barrier */
    record Load(Transfer transfer, Mbarrier barrier, int bytes, int thread, int pc) {
    }

    private final List<Load> loads = new ArrayList<>();

    void start(Load load) {
        loads.add(load);
    }

    /** The oldest load whose barrier some thread waits for in this pass; null if there is none. */
    Load takeOldestWaitedFor(long pass) {
        for (int i = 0; i < loads.size(); i++) {
            if (loads.get(i).barrier().isWaitedForIn(pass)) {
                return loads.remove(i);
            }
        }
        return null;
    }

    /** The oldest load of all; null if there is none. */
    Load oldest() {
        return loads.isEmpty() ? null : loads.getFirst();
    }
}
