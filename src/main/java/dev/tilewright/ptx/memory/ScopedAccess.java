package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.StepRole;

/** Accesses of one value with an order and a scope. Sources: PTX ISA, "ld", "st", "atom", "red". */
public sealed interface ScopedAccess extends PtxInstruction
        permits Atom, Ld, Red, St {
    @Override
    default StepRole role() {
        return StepRole.OTHER;
    }
}
