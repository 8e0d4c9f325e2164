package dev.tilewright.reference.state;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState.Status;
import java.util.Arrays;

/**
 * The threads of each warp that have come to an instruction which the whole warp performs together, with the same
 * operands ({@code .sync.aligned} in the PTX ISA).
 */
public final class WarpConvergence {
    public static final int WARP = 32;

    private final ThreadState[] threads;
    private final int[] arrived;
    private final long[] firstOperand;
    private final long[] secondOperand;

    WarpConvergence(ThreadState[] threads) {
        this.threads = threads;
        int warps = Math.ceilDiv(threads.length, WARP);
        arrived = new int[warps];
        firstOperand = new long[warps];
        secondOperand = new long[warps];
    }

    /** Forgets everything: another block starts. */
    void restart() {
        Arrays.fill(arrived, 0);
    }

    public static int first(ThreadState t) {
        return t.index & -WARP;
    }

    public int last(ThreadState t) {
        return Math.min(threads.length, first(t) + WARP) - 1;
    }

    /**
     * A thread reaches the instruction at {@code pc}.
     *
     * @return whether it is its warp's last: the others then go on behind the instruction, and it performs it for all
     */
    public boolean arrive(ThreadState t, int pc, long a, long b) {
        int warp = t.index / WARP;
        int first = first(t);
        int last = last(t);
        if (arrived[warp] == 0) {
            firstOperand[warp] = a;
            secondOperand[warp] = b;
        } else if (firstOperand[warp] != a || secondOperand[warp] != b) {
            throw new Fault(Kind.WARP, "thread " + t.index + " has other operands here than threads of its warp that came "
                    + "before it; all threads of a warp must perform this together");
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
                        + " of its warp is at another; all threads of a warp must perform it together");
            }
            other.pc = pc + 1;
            other.status = Status.RUNNABLE;
        }
        return true;
    }
}
