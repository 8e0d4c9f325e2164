package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Space;

/** Arrives at an mbarrier, at once or when the thread's copies have landed. */
public sealed interface MbarrierArrival extends MbarrierInstruction
        permits CpAsyncMbarrierArrive, MbarrierArrive, MbarrierArriveExpectTx, MbarrierArriveNoComplete {

    /** Where the barrier is. */
    Space space();
}
