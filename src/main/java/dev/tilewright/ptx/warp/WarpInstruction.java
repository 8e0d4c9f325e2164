package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.PtxInstruction;

/**
 * Instructions of a warp's threads together, hints to its scheduler, and barriers of some of a block's warps. Sources:
 * PTX ISA, "Parallel Synchronization and Communication Instructions", "Data Movement and Conversion Instructions:
 * shfl.sync", "ldmatrix", "stmatrix", "setmaxnreg", "nanosleep".
 */
public sealed interface WarpInstruction extends PtxInstruction
        permits Activemask, BarWarpSync, BarrierCtaArrive, BarrierCtaRed, BarrierCtaSync, ElectSync, Ldmatrix,
        MatchSync, Nanosleep, ReduxSync, Setmaxnreg, ShflSync, Stmatrix, VoteSync { }
