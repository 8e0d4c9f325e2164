package dev.tilewright.hazard.check;

import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Multiprocessor;
import dev.tilewright.ptx.Target;
import java.util.Collections;

/**
 * How many blocks of a kernel a GPU holds at once. The next blocks start only when others have ended, so that blocks
 * which wait for each other must all be among these. An H200 has 132 multiprocessors.
 *
 * <p>What registers take, and where in the GPU a cluster finds room, is not looked at: a GPU may hold fewer blocks than
 * this, never more.
 */
final class Residency {
    private static final int MULTIPROCESSORS = 132;
    private static final Multiprocessor EACH = Multiprocessor.of(Target.SM_90).orElseThrow();

    private Residency() { }

    /** Blocks of a kernel on an H200, in whole clusters, at least one cluster. */
    static int onH200(TileProgram program) {
        int ofEach =
                Math.max(1, Collections.min(EACH.allowed(program.threads(), 0, program.shared().bytes()).values()));
        int cluster = program.clusterBlocks();
        return Math.max(1, MULTIPROCESSORS * ofEach / cluster) * cluster;
    }
}
