package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.StepRole;

/** Between generic addresses and those of a state space. Sources: PTX ISA, "cvta", "isspacep". */
public sealed interface AddressConversion extends PtxInstruction
        permits Cvta, Isspacep {
    @Override
    default StepRole role() {
        return StepRole.OTHER;
    }
}
