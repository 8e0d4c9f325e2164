package dev.tilewright.builder.pipeline;

/** Which threads of a role arrive at a barrier for it. */
public enum Arrivals {
    /** Each thread, for itself. */
    EACH_THREAD,
    /** One lane of each warp, once all of its warp are there ({@code __syncwarp}): fewer arrivals, one more step. */
    EACH_WARP;

    /** How many there are in a phase. */
    int of(ThreadRange range) {
        return this == EACH_THREAD ? range.count() : range.warps();
    }
}
