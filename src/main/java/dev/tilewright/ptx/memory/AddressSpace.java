package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.form.Gates;

/** The spaces that a generic address can be converted from and to (PTX ISA, "State Spaces"). */
public enum AddressSpace implements Qualifier {
    CONST(Gates.AMPERE),
    GLOBAL(Gates.AMPERE),
    LOCAL(Gates.AMPERE),
    /** The block's own shared memory, as every version spells it. */
    SHARED(Gates.AMPERE),
    /** The block's own shared memory, as it is spelled since there are clusters. */
    SHARED_CTA(Gates.SHARED_CTA),
    /** The shared memory of any block of the cluster. */
    SHARED_CLUSTER(Gates.CLUSTERS),
    /** Kernel parameters. */
    PARAM(Gates.PARAM),
    /** Kernel parameters, as they are spelled since functions' parameters are told from them. */
    PARAM_ENTRY(Gates.PARAM_ENTRY);

    private final Gate gate;

    AddressSpace(Gate gate) {
        this.gate = gate;
    }

    @Override
    public String text() {
        return Qualifier.super.text().replace("_", "::");
    }

    Gate gate() {
        return gate;
    }
}
