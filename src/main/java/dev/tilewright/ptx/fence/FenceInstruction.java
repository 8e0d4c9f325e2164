package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.StepRole;

/** What orders a thread's accesses before it and after it. Source: PTX ISA, "membar / fence". */
public sealed interface FenceInstruction extends PtxInstruction
        permits Fence, FenceMbarrierInit,
        FenceProxyAlias, FenceProxyAsync, FenceProxyAsyncRestrict, FenceProxyTensormapAcquire,
        FenceProxyTensormapRelease, FenceSyncRestrict {
    @Override
    default StepRole role() {
        return StepRole.FENCE;
    }
}
