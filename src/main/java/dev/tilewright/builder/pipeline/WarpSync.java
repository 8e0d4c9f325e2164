package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.warp.BarWarpSync;

/** All lanes of a warp meet, and see what each other did before. */
final class WarpSync {
    private static final int ALL_LANES = -1;

    private WarpSync() {
    }

    static void write(Body body, String purpose) {
        body.purpose(purpose).issue(new BarWarpSync(), Input.of(ALL_LANES));
    }
}
