package dev.tilewright.builder.pipeline;

/** A stage whose data a consumer has waited for and may read, until it releases it. */
public final class Landed extends RingStage {
    Landed(RingMemory memory, RingPosition position) {
        super(memory, position);
    }

    /** Keeps it for a later turn, which releases it as one that {@link BarrierPipeline#landedBefore} gives. */
    public void keep() {
        close(memory, "kept");
    }
}
