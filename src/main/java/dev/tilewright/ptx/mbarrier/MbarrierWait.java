package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import java.util.List;

/** Says whether a phase of an mbarrier has completed; a program waits by asking again until it has. */
public sealed interface MbarrierWait extends MbarrierInstruction
        permits MbarrierTestWait, MbarrierTestWaitParity, MbarrierTryWait, MbarrierTryWaitParity {
    /** What a wait that ends orders, and for whom. */
    WaitOrder order();

    /** Where the barrier is. */
    Space space();

    /** For a barrier in this space. */
    MbarrierWait withSpace(Space space);

    @Override
    default List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space(), this::withSpace);
    }
}
