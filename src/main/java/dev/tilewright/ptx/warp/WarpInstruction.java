package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.PtxInstruction;

/** What the threads of a warp do together. Sources: PTX ISA, "elect.sync", "ldmatrix", "stmatrix", "setmaxnreg". */
public sealed interface WarpInstruction extends PtxInstruction
        permits ElectSync, Ldmatrix, Setmaxnreg,
        Stmatrix {
}
