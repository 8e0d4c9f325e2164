package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.Effects.Memory;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Qualifier;

/** The direction in which a fence of shared memory alone orders (PTX ISA, "membar / fence": {@code .sync_restrict}). */
public enum Direction implements Qualifier {
    /** What is in the shared memory of the cluster is acquired. */
    ACQUIRE(".acquire.sync_restrict::shared::cluster", Semantics.ACQUIRE, Memory.CLUSTER_SHARED),
    /** What is in the block's own shared memory is released. */
    RELEASE(".release.sync_restrict::shared::cta", Semantics.RELEASE, Memory.OWN_SHARED);

    private final String text;
    private final Semantics semantics;
    private final Memory memory;

    Direction(String text, Semantics semantics, Memory memory) {
        this.text = text;
        this.semantics = semantics;
        this.memory = memory;
    }

    @Override
    public String text() {
        return text;
    }

    Semantics semantics() {
        return semantics;
    }

    Memory memory() {
        return memory;
    }
}
