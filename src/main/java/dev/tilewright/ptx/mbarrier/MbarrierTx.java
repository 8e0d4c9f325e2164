package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import java.util.List;

/** Changes the bytes that a phase of an mbarrier waits for, without an arrival. */
public sealed interface MbarrierTx extends MbarrierInstruction permits MbarrierCompleteTx, MbarrierExpectTx {

    /** What is written about order; all mean relaxed. */
    TxOrder order();

    /** Where the barrier is. */
    Space space();

    /** At a barrier in this space. */
    MbarrierTx withSpace(Space space);

    @Override
    default Form form() {
        return Mbarriers.tx(this);
    }

    @Override
    default List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space(), this::withSpace);
    }
}
