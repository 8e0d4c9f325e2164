package dev.tilewright.reference.op;

import dev.tilewright.reference.state.LaneGroup;
import dev.tilewright.reference.state.Slots;
import dev.tilewright.reference.state.ThreadState;

/** What the threads of a warp do together. */
public final class WarpOps {

    private WarpOps() { }

    /**
     * All threads of the warp come here before any goes on: the first half of an instruction that is {@code .aligned}.
     */
    public record Meet(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return site.warpComes(t, pc) ? pc + 1 : YIELD;
        }
    }

    /**
     * Chooses one of the lanes that came: see {@link dev.tilewright.reference.state.Election}.
     *
     * @param lane slot of the chosen lane's number, or {@link Slots#NONE}
     */
    public record Elect(int elected, int lane) implements LaneOps.Part {
        @Override
        public void perform(ThreadState t, LaneGroup group, int own) {
            int chosen = t.block.election().lane(group.lanes());
            t.keep(elected, chosen == own ? 1 : 0);
            t.keep(lane, chosen);
        }
    }
}
