package dev.tilewright.reference.op;

import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.LaneGroup;
import dev.tilewright.reference.state.NamedBarriers;
import dev.tilewright.reference.state.Slots;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.state.WarpConvergence;
import java.util.List;

/**
 * A warp reaches a named barrier of its block: first its threads wait for each other, then the warp for other warps.
 * Source: PTX ISA, "barrier{.cta}".
 */
public final class NamedBarrierOps {
    private static final int WHOLE_WARP = -1;

    private NamedBarrierOps() { }

    /** What the threads of a warp come to. @param pc where, for what all must perform at one step; -1 for anywhere */
    private record Place(String opcode, long barrier, int count, int pc) {
        @Override
        public String toString() {
            return opcode + " of barrier " + barrier;
        }
    }

    /**
     * @param opcode for messages
     * @param count of threads that it is for; null for all of the block
     * @param waits whether it waits there
     * @param condition what is reduced; null for nothing
     * @param op how; null for nothing
     * @param result slot of what it is reduced to
     */
    public record Come(Site site, String opcode, boolean aligned, IndexCode barrier, IndexCode count, boolean waits,
            IndexCode condition, BarrierCtaRed.Op op, int result) implements Op {

        /** Without a reduction. */
        public Come(Site site, String opcode, boolean aligned, IndexCode barrier, IndexCode count, boolean waits) {
            this(site, opcode, aligned, barrier, count, waits, null, null, Slots.NONE);
        }

        @Override
        public int run(ThreadState t, int pc) {
            NamedBarriers named = t.block.named();
            if (t.group == null) {
                long id = barrier.value(t);
                int threads = count == null ? 0 : (int) count.value(t);
                if (count != null && threads == 0) {
                    throw new Fault(Kind.NAMED_BARRIER, "a named barrier is for a multiple of 32 threads, got 0");
                }
                named.require(id, threads);
                long truth = condition == null || condition.value(t) == 0 ? 0 : 1;
                t.block.warps().gather(t, pc, new Place(opcode, id, threads, aligned ? pc : -1), WHOLE_WARP, truth,
                        (block, group) -> arrive(block.named(), group, (int) id, threads, block));
                if (!WarpConvergence.isThere(t)) {
                    return YIELD;
                }
            }
            if (waits) {
                NamedBarriers.Phase phase = named.pass(t, pc);
                if (phase == null) {
                    return YIELD;
                }
                if (op != null) {
                    t.keep(result, switch (op) {
                        case POPC -> phase.trues();
                        case AND -> phase.falses() == 0 ? 1 : 0;
                        case OR -> phase.trues() > 0 ? 1 : 0;
                    });
                }
            }
            t.group = null;
            return pc + 1;
        }

        private void arrive(NamedBarriers named, LaneGroup group, int id, int threads, BlockState block) {
            if (aligned) {
                site.lanesMeet(block, group, false);
            }
            site.namedArrives(block, group, id, waits);
            List<ThreadState> opened = named.arrive(group, id, threads, waits, op);
            if (opened != null) {
                site.namedOpens(block, id, opened);
            }
        }
    }
}
