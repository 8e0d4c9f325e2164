package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.PtxInstruction;

/** Accesses of one value with an order and a scope. Sources: PTX ISA, "ld", "st", "atom", "red". */
public sealed interface ScopedAccess extends PtxInstruction
        permits Atom, Ld, Red, St { }
