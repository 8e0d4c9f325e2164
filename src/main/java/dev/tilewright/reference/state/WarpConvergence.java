package dev.tilewright.reference.state;

import dev.tilewright.program.Warp;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The threads of each warp that have come to an instruction which several lanes perform together: the whole warp at one
 * step with the same operands ({@code .sync.aligned} in the PTX ISA), or the members of a mask, wherever they are
 * ({@code .sync}); of these, lanes that have ended are not waited for. Or those of each warpgroup, four warps of which
 * the first one's number is a multiple of four.
 */
public final class WarpConvergence {
    public static final int WARPGROUP = 4 * Warp.LANES;

    private final ThreadState[] threads;
    private final int size;
    private final int[] arrived;
    private final long[] firstOperand;
    private final long[] secondOperand;
    /** The groups of each warp that are not complete. */
    private final List<List<LaneGroup>> groups;

    /** @param size threads that come together: {@link #Warp.LANES} or {@link #WARPGROUP} */
    WarpConvergence(ThreadState[] threads, int size) {
        this.threads = threads;
        this.size = size;
        int parts = Math.ceilDiv(threads.length, size);
        arrived = new int[parts];
        firstOperand = new long[parts];
        secondOperand = new long[parts];
        groups = Stream.generate(() -> (List<LaneGroup>) new ArrayList<LaneGroup>(0)).limit(parts).toList();
    }

    /** Forgets everything: another block starts. */
    void restart() {
        Arrays.fill(arrived, 0);
        for (List<LaneGroup> pending : groups) {
            pending.clear();
        }
    }

    public static int first(ThreadState t) {
        return t.index & -Warp.LANES;
    }

    /** The first thread of the group that a thread converges with. */
    public int firstOf(ThreadState t) {
        return t.index / size * size;
    }

    /** The thread's number in its warp. */
    public static int lane(ThreadState t) {
        return t.index % Warp.LANES;
    }

    public int last(ThreadState t) {
        return Math.min(threads.length, firstOf(t) + size) - 1;
    }

    /**
     * The threads that a thread comes together with, all of them.
     *
     * @throws Fault if the block ends before they are complete
     */
    public ThreadState[] together(ThreadState t) {
        int first = firstOf(t);
        if (first + size > threads.length) {
            throw new Fault(Kind.WARP, "the last " + name() + " of the block has " + (threads.length - first)
                    + " threads, and this takes " + size);
        }
        return Arrays.copyOfRange(threads, first, first + size);
    }

    private String name() {
        return size == Warp.LANES ? "warp" : "warpgroup";
    }

    /**
     * A thread reaches the instruction at {@code pc}.
     *
     * @return whether it is its warp's last: the others then go on behind the instruction, and it performs it for all
     */
    public boolean arrive(ThreadState t, int pc, long a, long b) {
        int warp = t.index / size;
        int first = firstOf(t);
        int last = last(t);
        if (arrived[warp] == 0) {
            firstOperand[warp] = a;
            secondOperand[warp] = b;
        } else if (firstOperand[warp] != a || secondOperand[warp] != b) {
            throw new Fault(Kind.WARP, "thread " + t.index + " has other operands here than threads of its " + name()
                    + " that came before it; all threads of a " + name() + " must perform this together");
        }
        if (++arrived[warp] <= last - first) {
            t.status = Status.AT_WARP;
            t.pc = pc;
            return false;
        }
        arrived[warp] = 0;
        for (int i = first; i <= last; i++) {
            ThreadState other = threads[i];
            if (other == t) {
                continue;
            }
            if (other.pc != pc) {
                throw new Fault(Kind.WARP, "thread " + t.index + " is at this step while thread " + i
                        + " of its " + name() + " is at another; all threads of a " + name()
                        + " must perform it together");
            }
            other.pc = pc + 1;
            other.status = Status.RUNNABLE;
        }
        return true;
    }

    // ---- the members of a mask

    /**
     * A thread reaches an instruction of the members of a mask; it stays at {@code pc} until all have come, and
     * performs its own part then.
     *
     * @param what the instruction, the same for all members
     * @param value what it hands in
     * @param completion is told when all have come
     * @return the group, which the thread also has as its own; {@link #isThere} says whether it is complete
     */
    public LaneGroup gather(ThreadState t, int pc, Object what, int mask, long value, LaneGroup.Completion completion) {
        int lane = lane(t);
        if ((mask >>> lane & 1) == 0) {
            throw new Fault(Kind.WARP, "lane " + lane + " comes with the mask " + LaneNumbers.mask(mask)
                    + ", in which its bit is not set: a lane is among the members that it names");
        }
        List<LaneGroup> pending = groups.get(t.index / Warp.LANES);
        LaneGroup group = null;
        for (LaneGroup g : pending) {
            if (g.is(what, mask)) {
                group = g;
            } else if ((g.mask() >>> lane & 1) != 0 && (g.lanes() & mask) != 0) {
                throw new Fault(Kind.WARP, "lane " + lane + " comes here with the mask " + LaneNumbers.mask(mask)
                        + ", and " + LaneNumbers.text(g.lanes() & mask)
                        + (Integer.bitCount(g.lanes() & mask) == 1 ? " waits" : " wait")
                        + " for it at " + (g.what().equals(what) ? "the same instruction" : g.title())
                        + " with the mask "
                        + LaneNumbers.mask(g.mask()) + ": all members of a mask come to one instruction with that mask",
                        other(g, mask));
            }
        }
        if (group == null) {
            group = new LaneGroup(what, mask, t.index / Warp.LANES, completion);
            pending.add(group);
        }
        group.add(t, value);
        t.group = group;
        t.status = Status.AT_WARP;
        t.pc = pc;
        completeIfAllAreThere(t.block, pending, group);
        return group;
    }

    /** The first lane of a mask that waits in a group. */
    private static Fault.Other other(LaneGroup group, int mask) {
        ThreadState first = group.waiting().stream().filter(t -> (mask >>> lane(t) & 1) != 0).findFirst().orElseThrow();
        return new Fault.Other(first.index, first.pc);
    }

    /** Whether every member of the thread's group has come. */
    public static boolean isThere(ThreadState t) {
        return t.group.isComplete();
    }

    private void completeIfAllAreThere(BlockState block, List<LaneGroup> pending, LaneGroup group) {
        if ((group.mask() & live(group.warp()) & ~group.lanes()) != 0) {
            return;
        }
        pending.remove(group);
        group.complete(block);
        for (ThreadState t : group.waiting()) {
            t.status = Status.RUNNABLE;
        }
    }

    /** The lanes of a warp that have not ended. */
    private int live(int warp) {
        int live = 0;
        for (int i = warp * Warp.LANES; i < Math.min(threads.length, (warp + 1) * Warp.LANES); i++) {
            live |= threads[i].status == Status.EXITED ? 0 : 1 << i % Warp.LANES;
        }
        return live;
    }

    /** A thread has ended: no lane waits for it any more. */
    void exits(ThreadState t) {
        List<LaneGroup> pending = groups.get(t.index / Warp.LANES);
        if (pending.isEmpty()) {
            return;
        }
        for (LaneGroup group : List.copyOf(pending)) {
            completeIfAllAreThere(t.block, pending, group);
        }
    }

    /** The lanes that a thread which waits in a group still needs; 0 for none. */
    public int missing(ThreadState t) {
        return t.group == null ? 0 : t.group.mask() & live(t.group.warp()) & ~t.group.lanes();
    }
}
