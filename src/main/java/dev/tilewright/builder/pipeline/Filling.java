package dev.tilewright.builder.pipeline;

import dev.tilewright.program.expression.Address;
import java.util.Optional;

/** A stage that a producer has acquired and fills, until it commits it. */
public final class Filling extends RingStage {
    private final Optional<Address.Barrier> full;

    Filling(RingMemory memory, RingPosition position, Optional<Address.Barrier> full) {
        this.full = full;
        super(memory, position);
    }

    /**
     * The barrier on which copies into the stage complete.
     *
     * @throws IllegalStateException if no copies of the copy engine fill this ring
     */
    public Address.Barrier full() {
        return full.orElseThrow(() -> new IllegalStateException("copies into ring " + memory.title()
                + " complete on no barrier: fill it by " + StageFill.COPY_ENGINE));
    }
}
