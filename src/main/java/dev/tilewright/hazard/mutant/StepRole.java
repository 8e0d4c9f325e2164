package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Operation;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.approx.Approximation;
import dev.tilewright.ptx.cache.CacheInstruction;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.ClusterInstruction;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkPrefetch;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.GroupCommit;
import dev.tilewright.ptx.copy.GroupWait;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.RedAsyncRelease;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.StAsyncRelease;
import dev.tilewright.ptx.copy.StBulk;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAlias;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyAsyncRestrict;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import dev.tilewright.ptx.mbarrier.MbarrierArrival;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.mbarrier.MbarrierPendingCount;
import dev.tilewright.ptx.mbarrier.MbarrierTx;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.ptx.memory.AddressConversion;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import dev.tilewright.ptx.tensormap.TensormapInstruction;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.ptx.warp.Activemask;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import dev.tilewright.ptx.warp.ElectSync;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatchSync;
import dev.tilewright.ptx.warp.Nanosleep;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.Setmaxnreg;
import dev.tilewright.ptx.warp.ShflSync;
import dev.tilewright.ptx.warp.Stmatrix;
import dev.tilewright.ptx.warp.VoteSync;
import dev.tilewright.ptx.warp.WarpInstruction;

/** What a step is for in the order of things: which of the edits make sense for it. */
enum StepRole {
    SYNC, WAIT, FENCE, COMMIT, ARRIVAL, EXPECT, INIT, MAP, COUNTED_LOAD, OTHER;

    static StepRole of(Operation operation) {
        return switch (operation) {
            case Operation.SyncThreads _ -> SYNC;
            case Operation.Poll _ -> WAIT;
            case Operation.Issue issue -> of(issue.form());
            case Operation.Let _, Operation.Loop _, Operation.While _, Operation.Break _, Operation.Guard _,
                    Operation.Call _, Operation.Loading _, Operation.Storing _, Operation.Computation _ ->
                    OTHER;
        };
    }

    private static StepRole of(PtxInstruction form) {
        return switch (form) {
            case FenceInstruction f -> switch (f) {
                case FenceProxyTensormapAcquire _, FenceProxyTensormapRelease _ -> MAP;
                case Fence _, FenceMbarrierInit _, FenceProxyAlias _, FenceProxyAsync _, FenceProxyAsyncRestrict _,
                        FenceSyncRestrict _ -> FENCE;
            };
            case CopyInstruction f -> switch (f) {
                case GroupCommit _ -> COMMIT;
                case GroupWait _ -> WAIT;
                case BulkClusterCopy _, BulkClusterReduce _, BulkLoad _, BulkPrefetch _, BulkReduce _, BulkStore _,
                        CpAsync _, RedAsync _, RedAsyncRelease _, StAsync _, StAsyncRelease _, StBulk _, TensorLoad _,
                        TensorPrefetch _, TensorReduce _, TensorStore _ ->
                        f.effects().completion() == Effects.Completion.MBARRIER ? COUNTED_LOAD : OTHER;
            };
            case MbarrierInstruction f -> switch (f) {
                case MbarrierArrival _ -> ARRIVAL;
                case MbarrierTx _ -> EXPECT;
                case MbarrierInit _ -> INIT;
                case MbarrierWait _ -> WAIT;
                case MbarrierInval _, MbarrierPendingCount _ -> OTHER;
            };
            case TensormapInstruction f -> switch (f) {
                case TensormapCpFenceproxy _ -> MAP;
                case TensormapReplace _ -> OTHER;
            };
            case ClusterInstruction f -> f instanceof BarrierClusterArrive || f instanceof BarrierClusterWait
                    ? SYNC : OTHER;
            case MmaInstruction f -> switch (f) {
                case WgmmaFence _ -> FENCE;
                case WgmmaCommitGroup _ -> COMMIT;
                case WgmmaWaitGroup _ -> WAIT;
                default -> OTHER;
            };
            case WarpInstruction f -> switch (f) {
                case BarWarpSync _, BarrierCtaSync _, BarrierCtaRed _ -> SYNC;
                case BarrierCtaArrive _ -> ARRIVAL;
                case Activemask _, ElectSync _, Ldmatrix _, MatchSync _, Nanosleep _, ReduxSync _, Setmaxnreg _,
                        ShflSync _, Stmatrix _, VoteSync _ -> OTHER;
            };
            case ScopedAccess _, AddressConversion _, Approximation _, CacheInstruction _ -> OTHER;
        };
    }

    /** Whether the step orders others, so that its place matters. */
    boolean orders() {
        return this != OTHER && this != COUNTED_LOAD;
    }
}
