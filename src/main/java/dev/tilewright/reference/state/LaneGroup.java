package dev.tilewright.reference.state;

import dev.tilewright.program.Warp;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import java.util.ArrayList;
import java.util.List;

/**
 * The lanes of one warp that have come to an instruction which the members of a mask perform together, and what each
 * has handed in. It is complete when every member that has not ended is there.
 */
public final class LaneGroup {

    /** Is told once, when all have come and none has gone on. */
    @FunctionalInterface
    public interface Completion {
        void done(BlockState block, LaneGroup group);
    }

    /** What all must perform: the same instruction with the same qualifiers. */
    private final Object what;
    private final int mask;
    private final int warp;
    private final Completion completion;
    private final long[] values = new long[Warp.LANES];
    private final List<ThreadState> waiting = new ArrayList<>();
    private long[] undefined;
    private UnwrittenRead[] origins;
    private int arrived;
    private boolean complete;
    /** The phase of the named barrier that the lanes' warp has come to; null for none. */
    NamedBarriers.Phase phase;

    LaneGroup(Object what, int mask, int warp, Completion completion) {
        this.what = what;
        this.mask = mask;
        this.warp = warp;
        this.completion = completion;
    }

    boolean is(Object of, int members) {
        return mask == members && (what == of || what.equals(of));
    }

    Object what() {
        return what;
    }

    /** What all must perform, in words. */
    String title() {
        return what instanceof PtxInstruction form ? form.opcode() : "another instruction";
    }

    int mask() {
        return mask;
    }

    /** The number of its warp within the block. */
    public int warp() {
        return warp;
    }

    /** The lanes that have come. */
    public int lanes() {
        return arrived;
    }

    public boolean has(int lane) {
        return (arrived >>> lane & 1) != 0;
    }

    /** What a lane has handed in. */
    public long value(int lane) {
        return values[lane];
    }

    void add(ThreadState t, long value) {
        int lane = WarpConvergence.lane(t);
        arrived |= 1 << lane;
        values[lane] = value;
        waiting.add(t);
    }

    List<ThreadState> waiting() {
        return waiting;
    }

    boolean isComplete() {
        return complete;
    }

    void complete(BlockState block) {
        complete = true;
        completion.done(block, this);
    }

    // ---- what of the values comes from bytes that nothing has written

    /** @param bits of what the lane has handed in */
    public void undefined(int lane, long bits, UnwrittenRead origin) {
        if (bits == 0) {
            return;
        }
        if (undefined == null) {
            undefined = new long[Warp.LANES];
            origins = new UnwrittenRead[Warp.LANES];
        }
        undefined[lane] = bits;
        origins[lane] = origin;
    }

    /** The bits of what a lane has handed in that are not defined. */
    public long undefinedBits(int lane) {
        return undefined == null ? 0 : undefined[lane];
    }

    public UnwrittenRead origin(int lane) {
        return origins == null ? null : origins[lane];
    }

    /** The first lane of those whose value is not wholly defined; -1 for none. */
    public int firstUndefined() {
        for (int lane = 0; undefined != null && lane < undefined.length; lane++) {
            if (undefined[lane] != 0) {
                return lane;
            }
        }
        return -1;
    }
}
