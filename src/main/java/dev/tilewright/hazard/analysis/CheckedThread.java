package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups;
import dev.tilewright.hazard.async.PassedWait;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.ptx.Scope;
import dev.tilewright.reference.observe.ExecutionObserver.Waits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A thread that is being checked: its clock, what it has started, and where it waits. */
final class CheckedThread {
    static final int NOWHERE = -1;
    private static final int RECENT = 8;

    /** A wait for an mbarrier that has not passed. @param parity -1 where it waits with a token */
    record Blocked(Barrier barrier, int step, long parity) { }

    /** Where a thread waits when no thread can go on any more. */
    record Stuck(int step, Waits what) { }

    /** The value that it waits to change. @param stored the last write of it; null for none */
    record Stays(long value, ShadowAccess stored) { }

    final CheckedCluster cluster;
    final ThreadClock clock;
    /** The last wait for an mbarrier that passed; null for none. */
    PassedWait lastWait;
    /** Null where it does not wait for an mbarrier. */
    Blocked blocked;
    /** The {@code __syncthreads} that it has reached; 0 for none. */
    int atSync;
    /** The last {@code __syncthreads} that it has passed, 0 for none, and its own time right after that. */
    int lastSync;
    int lastSyncTime = 1;
    /** The named barrier that it waits at; {@link #NOWHERE} for none. */
    int atNamed = NOWHERE;
    boolean exited;
    /** Null before the run is given up. */
    Stuck stuck;
    /** Null where it waits for nothing of global memory. */
    Stays stays;
    private CopyGroups copies;
    private CopyGroups stores;
    private CopyGroups products;
    /** What it touched last, which the next bytes that it touches in the same way share; by step and kind. */
    private ShadowAccess[] recent;
    /** The last of each step; null for none. */
    private List<OrderingStep> orderingSteps;

    CheckedThread(CheckedCluster cluster, ThreadClock clock) {
        this.cluster = cluster;
        this.clock = clock;
    }

    /** Its block in the grid. */
    int block() {
        return clock.block();
    }

    /** An access by it now; the same object for all bytes that a step touches in one way. @param scope null for none */
    ShadowAccess access(int step, int kind, Scope scope, CopyCompletion completion) {
        return access(step, kind, scope, ShadowAccess.ANY_WORD, completion);
    }

    /**
     * An access by it now to a value. @param word its number; see
     * {@link dev.tilewright.hazard.order.ReleasedValues#word}
     */
    ShadowAccess access(int step, int kind, Scope scope, long word, CopyCompletion completion) {
        if (recent == null) {
            recent = new ShadowAccess[RECENT];
        }
        int place = (2 * step + (kind & ~(ShadowAccess.ASYNC | ShadowAccess.MEETING))) % RECENT;
        ShadowAccess access = recent[place];
        if (access == null || !access.isSame(step, kind, word, completion)) {
            access = new ShadowAccess(clock, step, kind, scope, word, completion);
            recent[place] = access;
        }
        return access;
    }

    /** Its cp.async copies. */
    CopyGroups copies() {
        if (copies == null) {
            copies = new CopyGroups();
        }
        return copies;
    }

    /** Its bulk stores. */
    CopyGroups stores() {
        if (stores == null) {
            stores = new CopyGroups();
        }
        return stores;
    }

    /** The products that its warp has started, as far as they read shared memory; of the warp's first thread. */
    CopyGroups products() {
        if (products == null) {
            products = new CopyGroups();
        }
        return products;
    }

    /** It performs a step that orders others. */
    void did(int step, long event) {
        if (orderingSteps == null) {
            orderingSteps = new ArrayList<>(4);
        }
        OrderingStep done = new OrderingStep(step, clock.time(), event);
        for (int i = 0; i < orderingSteps.size(); i++) {
            if (orderingSteps.get(i).step() == step) {
                orderingSteps.set(i, done);
                return;
            }
        }
        orderingSteps.add(done);
    }

    /** Fences, commits and waits for groups that it has performed, the last of each step. */
    Collection<OrderingStep> orderingSteps() {
        return orderingSteps == null ? List.of() : orderingSteps;
    }

    boolean hasCopied() {
        return copies != null || stores != null || products != null;
    }
}
