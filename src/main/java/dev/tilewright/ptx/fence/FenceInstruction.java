package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.PtxInstruction;

/** Instructions that order a thread's accesses before and after them. Source: PTX ISA, "membar / fence". */
public sealed interface FenceInstruction extends PtxInstruction
        permits Fence, FenceMbarrierInit,
        FenceProxyAlias, FenceProxyAsync, FenceProxyAsyncRestrict, FenceProxyTensormapAcquire,
        FenceProxyTensormapRelease, FenceSyncRestrict { }
