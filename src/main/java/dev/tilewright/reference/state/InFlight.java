package dev.tilewright.reference.state;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * What the threads of a cluster have started and an mbarrier will be told of, in the order in which it was started.
 * Each lands, unless a seed says otherwise, only when its barrier is waited for and no thread of the cluster can go on:
 * as late as the program allows.
 */
public final class InFlight {

    /** One thing under way, and the step that started it. */
    public sealed interface Pending {
        Mbarrier barrier();

        ThreadState by();

        int pc();

        /** Moves the bytes, then tells the barrier. */
        void land();

        /** What is wrong with it when the cluster has ended without anybody waiting for it; null if nothing is. */
        public Fault leftOver();
    }

    /**
     * Bytes on their way into a block's shared memory.
     *
     * @param bytes what it counts on its barrier
     */
    public record Copy(Transfer transfer, BlockState to, int address, Mbarrier barrier, int bytes, ThreadState by,
            int pc)
            implements Pending {
        @Override
        public void land() {
            transfer.carryOut(to.shared(), address);
            barrier.completeTx(bytes);
        }

        @Override
        public Fault leftOver() {
            return new Fault(Kind.LEFT_IN_FLIGHT, "the block ends while this copy of " + bytes + " bytes into "
                    + (to == by.block ? "its shared memory" : "the shared memory of block " + to.index())
                    + " is still in flight; wait for barrier " + barrier.name() + " before the last thread exits");
        }
    }

    /**
     * An arrival that follows cp.async copies of its thread.
     *
     * @param copies how many of the thread's copies it follows, counted from the thread's first
     */
    public record Arrival(long copies, Mbarrier barrier, ThreadState by, int pc) implements Pending {
        @Override
        public void land() {
            by.copies.landUntil(copies);
            barrier.arrive(1);
        }

        @Override
        public Fault leftOver() {
            return null;
        }
    }

    private final List<Pending> pending = new ArrayList<>();

    public void start(Pending started) {
        pending.add(started);
    }

    /**
     * The oldest whose barrier some thread waits for in this pass, which is no longer among them; null if there is
     * none.
     */
    public Pending takeOldestWaitedFor(long pass) {
        for (int i = 0; i < pending.size(); i++) {
            if (pending.get(i).barrier().isWaitedForIn(pass)) {
                return pending.remove(i);
            }
        }
        return null;
    }

    public int size() {
        return pending.size();
    }

    public Pending take(int i) {
        return pending.remove(i);
    }

    /** The oldest that must not be left; null if there is none. Forgets all. */
    public Pending leftOver() {
        Pending found = pending.stream().filter(p -> p.leftOver() != null).findFirst().orElse(null);
        pending.clear();
        return found;
    }
}
