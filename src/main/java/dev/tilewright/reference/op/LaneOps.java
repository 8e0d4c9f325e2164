package dev.tilewright.reference.op;

import dev.tilewright.program.Warp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.ShflSync;
import dev.tilewright.ptx.warp.VoteSync;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.code.SuspectValue;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.state.LaneGroup;
import dev.tilewright.reference.state.LaneNumbers;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.state.WarpConvergence;

/**
 * What the members of a mask do together: each hands in a value and waits until all have come; then each takes its
 * result of what was handed in. Sources: PTX ISA, "shfl.sync" (whose steps are followed to the letter), "vote.sync",
 * "match.sync", "redux.sync", "bar.warp.sync".
 */
public final class LaneOps {
    private static final int LANE_BITS = 31;

    private LaneOps() { }

    /** What a lane does when all have come. */
    @FunctionalInterface
    public interface Part {
        /** @param lane the thread's own */
        void perform(ThreadState t, LaneGroup group, int lane);
    }

    /**
     * The instruction.
     *
     * @param form the same for all members
     * @param value what a lane hands in
     * @param undefined what of it is not defined; null in a run that is not watched
     * @param orders whether it orders memory accesses
     */
    public record Together(Site site, PtxInstruction form, IndexCode members, IndexCode value, SuspectValue undefined,
            boolean orders, Part part, LaneGroup.Completion completion) implements Op {

        public Together(Site site, PtxInstruction form, IndexCode members, IndexCode value, boolean orders, Part part) {
            this(site, form, members, value, null, orders, part,
                    (block, group) -> site.lanesMeet(block, group, orders));
        }

        /** This instruction, in a run that is watched. */
        public Together watching(SuspectValue handedIn) {
            return new Together(site, form, members, value, handedIn, orders, part, completion);
        }

        @Override
        public int run(ThreadState t, int pc) {
            int lane = WarpConvergence.lane(t);
            if (t.group == null) {
                LaneGroup group = t.block.warps().gather(t, pc, form, (int) members.value(t), value.value(t),
                        completion);
                if (undefined != null) {
                    long bits = undefined.bits(t);
                    group.undefined(lane, bits, bits == 0 ? null : undefined.origin(t));
                }
                if (!WarpConvergence.isThere(t)) {
                    return YIELD;
                }
            }
            LaneGroup group = t.group;
            t.group = null;
            part.perform(t, group, lane);
            return pc + 1;
        }
    }

    /** Nothing but the meeting. */
    public static Part nothing() {
        return (_, _, _) -> { };
    }

    // ---- shuffles

    /**
     * @param source which lane, by the mode
     * @param clamp bits 0 to 4 the bound, bits 8 to 12 the mask of segments
     * @param taken slot of the value, 32 bits
     * @param inside slot of whether the source lay within the segment
     */
    public static Part shuffle(ShflSync.Mode mode, IndexCode source, IndexCode clamp, int taken, int inside) {
        return (t, group, lane) -> {
            int from = source(mode, lane, (int) source.value(t), (int) clamp.value(t));
            boolean within = from >= 0;
            int at = within ? from : lane;
            if (!group.has(at)) {
                throw new Fault(Kind.LANE, "lane " + lane + " takes the value of lane " + at
                        + ", which does not take part: " + LaneNumbers.text(group.lanes()) + " came");
            }
            t.keep(taken, (int) group.value(at));
            t.keep(inside, within ? 1 : 0);
            t.undefined.set(taken, group.undefinedBits(at), group.origin(at));
        };
    }

    /** The lane that is taken from; -1 where it lies beyond the segment, so that the lane keeps its own. */
    public static int source(ShflSync.Mode mode, int lane, int b, int c) {
        int bval = b & LANE_BITS;
        int cval = c & LANE_BITS;
        int segments = c >>> 8 & LANE_BITS;
        int most = lane & segments | cval & ~segments;
        int least = lane & segments;
        int from = switch (mode) {
            case UP -> lane - bval;
            case DOWN -> lane + bval;
            case BFLY -> lane ^ bval;
            case IDX -> least | bval & ~segments;
        };
        return (mode == ShflSync.Mode.UP ? from >= most : from <= most) ? from : -1;
    }

    // ---- votes, matches, reductions

    public static Part vote(VoteSync.Mode mode, int answer) {
        return (t, group, _) -> {
            int trues = 0;
            for (int lane = 0; lane < Warp.LANES; lane++) {
                trues |= group.has(lane) && group.value(lane) != 0 ? 1 << lane : 0;
            }
            int result = trues;
            if (mode != VoteSync.Mode.BALLOT) {
                boolean all = trues == group.lanes();
                result = switch (mode) {
                    case ALL -> all;
                    case ANY -> trues != 0;
                    case UNI, BALLOT -> all || trues == 0;
                } ? 1 : 0;
            }
            keep(t, group, answer, result);
        };
    }

    /** @param bits of the values that are compared @param same slot of whether all are the same */
    public static Part match(boolean all, int bits, int mask, int same) {
        int unused = Long.SIZE - bits;
        return (t, group, own) -> {
            int equal = 0;
            for (int lane = 0; lane < Warp.LANES; lane++) {
                equal |= group.has(lane) && (group.value(lane) ^ group.value(own)) << unused == 0 ? 1 << lane : 0;
            }
            boolean whole = equal == group.lanes();
            keep(t, group, mask, all && !whole ? 0 : equal);
            keep(t, group, same, whole ? 1 : 0);
        };
    }

    public static Part reduce(ReduxSync.Op op, DataType type, int reduced) {
        boolean signed = type == DataType.S32;
        return (t, group, own) -> {
            int result = 0;
            boolean first = true;
            for (int lane = 0; lane < Warp.LANES; lane++) {
                if (group.has(lane)) {
                    int value = (int) group.value(lane);
                    result = first ? value : combine(op, signed, result, value);
                    first = false;
                }
            }
            keep(t, group, reduced, result);
        };
    }

    private static int combine(ReduxSync.Op op, boolean signed, int a, int b) {
        int less = (signed ? Integer.compare(a, b) : Integer.compareUnsigned(a, b)) <= 0 ? a : b;
        return switch (op) {
            case ADD -> a + b;
            case MIN -> less;
            case MAX -> less == a ? b : a;
            case AND -> a & b;
            case OR -> a | b;
            case XOR -> a ^ b;
        };
    }

    /** What any lane handed in that is not defined makes all of the result undefined. */
    private static void keep(ThreadState t, LaneGroup group, int slot, int value) {
        t.keep(slot, value);
        int undefined = group.firstUndefined();
        UnwrittenRead origin = undefined < 0 ? null : group.origin(undefined);
        t.undefined.set(slot, undefined < 0 ? 0 : -1, origin);
    }
}
