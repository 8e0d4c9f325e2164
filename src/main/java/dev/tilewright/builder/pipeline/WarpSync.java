package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;

/** All lanes of a warp meet. */
final class WarpSync {

    private WarpSync() {
    }

    static void write(Body body) {
        throw new UnsupportedOperationException("arrivals of whole warps: choose " + Arrivals.EACH_THREAD);
    }
}
