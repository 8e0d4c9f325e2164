package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.PtxInstruction;

/** Between generic addresses and those of a state space. Sources: PTX ISA, "cvta", "isspacep". */
public sealed interface AddressConversion extends PtxInstruction
        permits Cvta, Isspacep { }
