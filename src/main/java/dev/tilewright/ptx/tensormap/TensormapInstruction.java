package dev.tilewright.ptx.tensormap;

import dev.tilewright.ptx.PtxInstruction;

/** Instructions that change tensor maps in memory. Source: PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy". */
public sealed interface TensormapInstruction extends PtxInstruction
        permits TensormapCpFenceproxy,
        TensormapReplace { }
