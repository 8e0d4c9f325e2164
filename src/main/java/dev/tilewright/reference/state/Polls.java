package dev.tilewright.reference.state;

import java.util.IdentityHashMap;
import java.util.Map;

/** Which phase of each barrier one thread was last told is not over. */
public final class Polls {
    private final Map<Mbarrier, Long> phases = new IdentityHashMap<>(0);

    /** A test of the barrier fails. @return whether it is the thread's first in this phase */
    public boolean isFirst(Mbarrier barrier) {
        Long before = phases.put(barrier, barrier.phase());
        return before == null || before != barrier.phase();
    }

    public void forget() {
        if (!phases.isEmpty()) {
            phases.clear();
        }
    }
}
