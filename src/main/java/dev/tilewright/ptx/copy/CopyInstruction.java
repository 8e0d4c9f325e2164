package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.PtxInstruction;

/**
 * Asynchronous copies, stores and reductions, and the groups that a thread closes and waits for. Sources: PTX ISA,
 * "Asynchronous copy", "st.async", "red.async", "st.bulk".
 */
public sealed interface CopyInstruction extends PtxInstruction
        permits BulkClusterCopy, BulkClusterReduce, BulkLoad, BulkPrefetch, BulkReduce, BulkStore, CpAsync,
                GroupControl, RedAsync, RedAsyncRelease, StAsync, StAsyncRelease, StBulk, TensorLoad,
        TensorPrefetch, TensorReduce, TensorStore { }
