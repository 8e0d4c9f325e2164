package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.PtxInstruction;

/** What is done with an mbarrier: its life, arrivals, byte counts and tests. Source: PTX ISA, "mbarrier". */
public sealed interface MbarrierInstruction extends PtxInstruction
        permits MbarrierArrival, MbarrierInit, MbarrierInval, MbarrierPendingCount, MbarrierTx, MbarrierWait {
}
