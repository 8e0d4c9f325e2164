package dev.tilewright.ptx.mbarrier;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import java.util.List;
import java.util.function.Function;

/** Instructions on mbarriers: initialisation, arrivals, byte counts and tests. Source: PTX ISA, "mbarrier". */
public sealed interface MbarrierInstruction extends PtxInstruction
        permits MbarrierArrival, MbarrierInit, MbarrierInval, MbarrierPendingCount, MbarrierTx, MbarrierWait {

    /**
     * The spellings of the block's own shared memory, of which {@code .shared} is that of PTX 7.0; none of other
     * spaces.
     */
    static List<PtxInstruction> spellings(PtxInstruction form, Space space, Function<Space, PtxInstruction> in) {
        NotNull.all("form, space, in", form, space, in);
        return space == Space.SHARED_CTA || space == Space.SHARED
                ? List.of(in.apply(Space.SHARED_CTA), in.apply(Space.SHARED)) : List.of(form);
    }
}
