package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.PtxInstruction;

/**
 * What the threads of a warp do together, and what they say to its scheduler. Sources: PTX ISA, "elect.sync",
 * "ldmatrix", "stmatrix", "setmaxnreg", "nanosleep".
 */
public sealed interface WarpInstruction extends PtxInstruction
        permits ElectSync, Ldmatrix, Nanosleep, Setmaxnreg, Stmatrix {
}
