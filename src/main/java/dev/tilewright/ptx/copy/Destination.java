package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.form.Gates;

/**
 * How the destination of a bulk load into shared memory is written. An address in the block's own shared memory is also
 * one in that of its cluster, so both spellings mean the same there; the longer-lived one reaches other blocks too.
 */
public enum Destination implements Qualifier {
    /** The block's own shared memory; from PTX 8.6 on. */
    SHARED_CTA,
    /** The shared memory of any block of the cluster, the own one included. */
    SHARED_CLUSTER;

    @Override
    public String text() {
        return this == SHARED_CTA ? ".shared::cta" : ".shared::cluster";
    }

    Gate gate() {
        return this == SHARED_CTA ? Gates.BULK_TO_OWN_CTA : Gates.HOPPER;
    }

    String suffix() {
        return this == SHARED_CTA ? "_cta" : "";
    }

    void requireMulticast(String instruction, boolean multicast, Class<? extends PtxInstruction> of) {
        if (multicast && this != SHARED_CLUSTER) {
            throw new IllegalFormException(instruction + " copies to several blocks with a destination in "
                    + SHARED_CLUSTER.text() + ", got " + text(), of);
        }
    }
}
