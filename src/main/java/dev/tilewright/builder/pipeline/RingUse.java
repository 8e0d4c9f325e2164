package dev.tilewright.builder.pipeline;

import java.util.ArrayList;
import java.util.List;

/** A ring in use by a kernel, and the stages that it has handed out; closing it shows that each of them was ended. */
abstract sealed class RingUse permits ProducerSteps, GroupPipeline {
    final RingMemory memory;
    private final List<RingStage> stages = new ArrayList<>();
    private boolean closed;

    RingUse(RingMemory memory) {
        this.memory = memory;
    }

    final <S extends RingStage> S opened(S stage) {
        stages.add(stage);
        return stage;
    }

    final void requireOpen(String how) {
        if (closed) {
            throw new IllegalStateException("ring " + memory.title() + " is closed, and no stage of it can be " + how
                    + " any more");
        }
    }

    /** @throws IllegalStateException if a stage was acquired and never committed, or waited for and never released */
    final void end() {
        requireOpen("closed");
        RingStage.requireEnded(stages);
        closed = true;
    }
}
