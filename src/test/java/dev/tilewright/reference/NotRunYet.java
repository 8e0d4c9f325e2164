package dev.tilewright.reference;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.warp.Activemask;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import dev.tilewright.ptx.warp.MatchSync;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.ShflSync;
import dev.tilewright.ptx.warp.VoteSync;

/** The instructions that the reference refuses for the time being. */
final class NotRunYet {
    private NotRunYet() {
    }

    static boolean is(PtxInstruction form) {
        return form instanceof Activemask || form instanceof BarWarpSync
                || form instanceof BarrierCtaArrive || form instanceof BarrierCtaRed || form instanceof BarrierCtaSync
                || form instanceof MatchSync || form instanceof ReduxSync || form instanceof ShflSync || form instanceof VoteSync;
    }
}
