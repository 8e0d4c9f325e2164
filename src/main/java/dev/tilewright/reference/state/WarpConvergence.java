package dev.tilewright.reference.state;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState.Status;
import java.util.Arrays;

/**
 * The threads of each warp that have come to an instruction which the whole warp performs together, with the same
 * operands ({@code .sync.aligned} in the PTX ISA); or those of each warpgroup, four warps of which the first one's number
 * is a multiple of four.
 */
public final class WarpConvergence {
    public static final int WARP = 32;
    public static final int WARPGROUP = 4 * WARP;

    private final ThreadState[] threads;
    private final int size;
    private final int[] arrived;
    private final long[] firstOperand;
    private final long[] secondOperand;

    /** @param size threads that come together: {@link #WARP} or {@link #WARPGROUP} */
    WarpConvergence(ThreadState[] threads, int size) {
        this.threads = threads;
        this.size = size;
        int groups = Math.ceilDiv(threads.length, size);
        arrived = new int[groups];
        firstOperand = new long[groups];
        secondOperand = new long[groups];
    }

    /** Forgets everything: another block starts. */
    void restart() {
        Arrays.fill(arrived, 0);
    }

    public static int first(ThreadState t) {
        return t.index & -WARP;
    }

    /** The first thread of those that a thread comes together with. */
    public int firstOf(ThreadState t) {
        return t.index / size * size;
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
        return size == WARP ? "warp" : "warpgroup";
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
}
