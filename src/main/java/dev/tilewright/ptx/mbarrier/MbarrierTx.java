package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Space;

/** Changes the bytes that a phase of an mbarrier waits for, without an arrival. */
public sealed interface MbarrierTx extends MbarrierInstruction permits MbarrierCompleteTx, MbarrierExpectTx {

    /** What is written about order; all mean relaxed. */
    TxOrder order();

    /** Where the barrier is. */
    Space space();
}
