package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.form.Gates;

/** The spaces that a generic address can be converted from and to (PTX ISA, "State Spaces"). */
public enum AddressSpace implements Qualifier {
    CONST(".const", Gates.AMPERE),
    GLOBAL(".global", Gates.AMPERE),
    LOCAL(".local", Gates.AMPERE),
    /** The block's own shared memory, as every version spells it. */
    SHARED(".shared", Gates.AMPERE),
    /** The block's own shared memory, as it is spelled since there are clusters. */
    SHARED_CTA(".shared::cta", Gates.SHARED_CTA),
    /** The shared memory of any block of the cluster. */
    SHARED_CLUSTER(".shared::cluster", Gates.CLUSTERS),
    /** Kernel parameters. */
    PARAM(".param", Gates.PARAM),
    /** Kernel parameters, as they are spelled since functions' parameters are told from them. */
    PARAM_ENTRY(".param::entry", Gates.PARAM_ENTRY);

    private final String text;
    private final Gate gate;

    AddressSpace(String text, Gate gate) {
        this.text = text;
        this.gate = gate;
    }

    @Override
    public String text() {
        return text;
    }

    Gate gate() {
        return gate;
    }
}
