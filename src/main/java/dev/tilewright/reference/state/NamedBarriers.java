package dev.tilewright.reference.state;

import dev.tilewright.Counted;
import dev.tilewright.program.Warp;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The 16 named barriers of a block. Warps come as wholes, each counting as 32 threads; when as many have come as a
 * barrier is for, those who wait go on, and it is ready anew. Source: PTX ISA, "barrier{.cta}".
 */
public final class NamedBarriers {
    public static final int COUNT = 16;

    /** One turn of a barrier, from its first arrival until it opens. */
    public static final class Phase {
        private final int id;
        private final int expected;
        /** What its threads reduce; null for nothing. */
        private final Object reduction;
        /** The first of its threads, where that came. */
        private final Fault.Other first;
        private final List<ThreadState> waiting = new ArrayList<>();
        private int arrived;
        private int trues;
        private int falses;
        private boolean open;

        private Phase(int id, int expected, Object reduction, ThreadState first) {
            this.first = new Fault.Other(first.index, first.pc);
            this.id = id;
            this.expected = expected;
            this.reduction = reduction;
        }

        /** For how many threads the condition held. */
        public int trues() {
            return trues;
        }

        /** For how many it did not. */
        public int falses() {
            return falses;
        }

        /** {@code barrier 1, to which 32 of 64 threads have come}. */
        public String state() {
            return "barrier " + id + ", to which " + arrived + " of " + Counted.of(expected, "thread") + " have come";
        }
    }

    private final BlockState block;
    private final Phase[] phases = new Phase[COUNT];

    NamedBarriers(BlockState block) {
        this.block = block;
    }

    /** Forgets everything: another block starts. */
    void restart() {
        Arrays.fill(phases, null);
    }

    /** Whether threads have come to a barrier that has not opened since. */
    boolean isAwaited(int id) {
        return phases[id] != null;
    }

    /** The threads that a count stands for: whole warps. @param count 0 for all threads of the block */
    private int expected(int count) {
        int all = Math.ceilDiv(block.threads().length, Warp.LANES) * Warp.LANES;
        if (count == 0) {
            return all;
        }
        if (count < 0 || count % Warp.LANES != 0) {
            throw new Fault(Kind.NAMED_BARRIER, "a named barrier is for a multiple of 32 threads, got " + count);
        }
        if (count > all) {
            throw new Fault(Kind.NAMED_BARRIER, "the barrier is for " + Counted.of(count, "thread")
                    + ", and the block has " + block.threads().length + ": it would never open");
        }
        return count;
    }

    /** Refuses a number that no barrier has, and a count that none can be for. @param count 0 for all of the block */
    public void require(long id, int count) {
        if (id < 0 || id >= COUNT) {
            throw new Fault(Kind.NAMED_BARRIER, "a block has the barriers 0 to 15, got " + id);
        }
        expected(count);
    }

    /**
     * A warp has come.
     *
     * @param group its threads, with their conditions as values
     * @param count of threads that the barrier is for; 0 for all of the block
     * @param reduction what they reduce; null for nothing
     * @return the threads that it lets go on, if it opens; else null
     */
    public List<ThreadState> arrive(LaneGroup group, int id, int count, boolean waits, Object reduction) {
        int expected = expected(count);
        if (id == 0 && block.isAtSyncThreads()) {
            throw new Fault(Kind.NAMED_BARRIER, "threads wait at __syncthreads(), which is barrier 0, when others come "
                    + "to barrier 0 by its number: use one of 1 to 15");
        }
        Phase phase = phases[id];
        if (phase == null) {
            phase = new Phase(id, expected, reduction, group.waiting().getFirst());
            phases[id] = phase;
        } else if (phase.expected != expected) {
            throw new Fault(Kind.NAMED_BARRIER, "warp " + group.warp() + " reaches barrier " + id + " for " + expected
                    + " threads, and others that came before did for " + phase.expected
                    + ": all come for the same number", phase.first);
        } else if (phase.reduction != reduction) {
            throw new Fault(Kind.NAMED_BARRIER, "warp " + group.warp() + " reaches barrier " + id
                    + " by another instruction than those before: barrier.red is not mixed with others", phase.first);
        }
        phase.arrived += Warp.LANES;
        for (ThreadState t : group.waiting()) {
            phase.trues += group.value(WarpConvergence.lane(t)) != 0 ? 1 : 0;
            phase.falses += group.value(WarpConvergence.lane(t)) != 0 ? 0 : 1;
        }
        if (waits) {
            group.phase = phase;
            phase.waiting.addAll(group.waiting());
        }
        if (phase.arrived < expected) {
            return null;
        }
        phases[id] = null;
        phase.open = true;
        for (ThreadState t : phase.waiting) {
            if (t.status == Status.AT_NAMED_BARRIER) {
                t.status = Status.RUNNABLE;
            }
        }
        return phase.waiting;
    }

    /** The turn that a thread waits for. */
    public static Phase of(ThreadState t) {
        return t.group.phase;
    }

    /**
     * A thread whose warp has come goes on, or waits here.
     *
     * @return the turn that has ended; null where it waits
     */
    public Phase pass(ThreadState t, int pc) {
        Phase phase = t.group.phase;
        if (!phase.open) {
            t.status = Status.AT_NAMED_BARRIER;
            t.pc = pc;
            return null;
        }
        return phase;
    }
}
