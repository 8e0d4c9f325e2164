package dev.tilewright.reference.op;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.Slots;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.state.WarpConvergence;

/** What the threads of a warp do together. */
public final class WarpOps {

    private WarpOps() {
    }

    /** All threads of the warp come here before any goes on: the first half of an instruction that is {@code .aligned}. */
    public record Meet() implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return t.block.warps().arrive(t, pc, 0, 0) ? pc + 1 : YIELD;
        }
    }

    /**
     * Chooses a lane of the mask: see {@link dev.tilewright.reference.state.Election}.
     *
     * @param lane slot of the chosen lane's number, or {@link Slots#NONE}
     */
    public record Elect(IndexCode members, int elected, int lane) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int mask = (int) members.value(t);
            int own = t.index % WarpConvergence.WARP;
            if ((mask >>> own & 1) == 0) {
                throw new Fault(Kind.WARP, "lane " + own + " performs elect.sync with the mask 0x" + Integer.toHexString(mask)
                        + ", in which its bit is not set");
            }
            int chosen = t.block.election().lane(mask);
            t.keep(elected, chosen == own ? 1 : 0);
            t.keep(lane, chosen);
            return pc + 1;
        }
    }
}
