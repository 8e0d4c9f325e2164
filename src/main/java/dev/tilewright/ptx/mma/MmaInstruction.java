package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.PtxInstruction;

/**
 * Products of matrices on tensor cores. Sources: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions" and
 * "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
 */
public sealed interface MmaInstruction extends PtxInstruction permits MmaSync, Movmatrix, Wgmma,
        WgmmaCommitGroup, WgmmaFence, WgmmaWaitGroup { }
