package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/** What the threads of a warp do together. */
final class WarpOps {

    private WarpOps() {
    }

    /** All threads of the warp come here before any goes on: the first half of an instruction that is {@code .aligned}. */
    record Meet(String purpose) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return t.block.warps().arrive(t, pc, 0, 0) ? pc + 1 : YIELD;
        }
    }

    /**
     * Chooses the lowest lane of the mask. The ISA leaves open which it is.
     *
     * @param lane slot of the chosen lane's number, or {@link AccessOps#NO_RESULT}
     */
    record Elect(String purpose, IndexCode members, int elected, int lane) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int mask = (int) members.value(t);
            int own = t.index % WarpConvergence.WARP;
            if ((mask >>> own & 1) == 0) {
                throw new Fault(Kind.WARP, "lane " + own + " performs elect.sync with the mask 0x" + Integer.toHexString(mask)
                        + ", in which its bit is not set");
            }
            int chosen = Integer.numberOfTrailingZeros(mask);
            t.slots[elected] = chosen == own ? 1 : 0;
            if (lane != AccessOps.NO_RESULT) {
                t.slots[lane] = chosen;
            }
            return pc + 1;
        }
    }
}
