package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.PtxInstruction;

/**
 * What the threads of a warp do together and say to its scheduler, and where part of a block's warps meet. Sources: PTX
 * ISA, "Parallel Synchronization and Communication Instructions", "Data Movement and Conversion Instructions:
 * shfl.sync", "ldmatrix", "stmatrix", "setmaxnreg", "nanosleep".
 */
public sealed interface WarpInstruction extends PtxInstruction
        permits Activemask, BarWarpSync, BarrierCtaArrive, BarrierCtaRed, BarrierCtaSync, ElectSync, Ldmatrix,
        MatchSync, Nanosleep, ReduxSync, Setmaxnreg, ShflSync, Stmatrix, VoteSync {
}
