package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.StepRole;

/**
 * Asynchronous copies, stores and reductions, and the groups that a thread closes and waits for. Sources: PTX ISA,
 * "Asynchronous copy", "st.async", "red.async", "st.bulk".
 */
public sealed interface CopyInstruction extends PtxInstruction
        permits BulkClusterCopy, BulkClusterReduce, BulkLoad, BulkPrefetch, BulkReduce, BulkStore, CpAsync,
                GroupControl, RedAsync, RedAsyncRelease, StAsync, StAsyncRelease, StBulk, TensorLoad,
        TensorPrefetch, TensorReduce, TensorStore {
    @Override
    default StepRole role() {
        return effects().completion() == Effects.Completion.MBARRIER ? StepRole.COUNTED_LOAD : StepRole.OTHER;
    }
}
