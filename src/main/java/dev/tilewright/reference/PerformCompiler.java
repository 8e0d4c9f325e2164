package dev.tilewright.reference;

import dev.tilewright.program.Operation;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cache.ApplyPriority;
import dev.tilewright.ptx.cache.CreatePolicyCvt;
import dev.tilewright.ptx.cache.CreatePolicyFractional;
import dev.tilewright.ptx.cache.CreatePolicyRange;
import dev.tilewright.ptx.cache.Discard;
import dev.tilewright.ptx.cache.Prefetch;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.cache.PrefetchUniform;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.ClusterLaunchControlFirstCtaid;
import dev.tilewright.ptx.cluster.ClusterLaunchControlIsCanceled;
import dev.tilewright.ptx.cluster.ClusterLaunchControlTryCancel;
import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Griddepcontrol;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkPrefetch;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
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
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAlias;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyAsyncRestrict;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierArriveNoComplete;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.mbarrier.MbarrierPendingCount;
import dev.tilewright.ptx.mbarrier.MbarrierTestWait;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.memory.AddressSpace;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.AtomOp;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.Isspacep;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.ptx.warp.ElectSync;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.Setmaxnreg;
import dev.tilewright.ptx.warp.Stmatrix;
import dev.tilewright.reference.ReferenceException.Kind;
import java.util.List;

/**
 * Turns a performed instruction into operations: every record of the catalogue has its line here. What has no effect on
 * bytes (hints, fences, registers) does nothing, a cache policy is the number 0, and what only newer GPUs have is refused.
 */
final class PerformCompiler {
    private static final IndexCode NOTHING = new IndexCode.Constant(0);

    private final PlaceCompiler places;
    private final ExprCompiler expressions;
    private final Slots slots;

    PerformCompiler(PlaceCompiler places, ExprCompiler expressions, Slots slots) {
        this.places = places;
        this.expressions = expressions;
        this.slots = slots;
    }

    /** @throws Fault if the reference does not run the instruction */
    List<Op> compile(String purpose, Operation.Perform p) {
        PtxInstruction form = p.form();
        if (form.emitOnly()) {
            throw new Fault(Kind.NOT_MODELLED, form.opcode() + " is for " + form.minimumTarget()
                    + " and later: it is emitted, not run on the CPU");
        }
        Operands o = new Operands(p, places, slots);
        return switch (form) {
            case Ld f -> List.of(new AccessOps.Load(purpose, o.place("src"), f.type(), o.result("value")));
            case St f -> List.of(new AccessOps.Store(purpose, o.place("dst"), f.type(), o.number("value")));
            case Atom f -> List.of(new AccessOps.Update(purpose, o.place("dst"), f.op(), f.type(), o.number("value"),
                    f.op() == AtomOp.CAS ? o.number("replacement") : NOTHING, o.result("old")));
            case Red f -> List.of(new AccessOps.Update(purpose, o.place("dst"), f.op(), f.type(), o.number("value"), NOTHING,
                    AccessOps.NO_RESULT));

            case MbarrierInit _, MbarrierInval _, MbarrierArrive _, MbarrierArriveExpectTx _, MbarrierArriveNoComplete _,
                    MbarrierCompleteTx _, MbarrierExpectTx _, MbarrierPendingCount _, MbarrierTestWait _,
                    MbarrierTestWaitParity _, MbarrierTryWait _, MbarrierTryWaitParity _, CpAsyncMbarrierArrive _ ->
                    List.of(PerformedBarriers.compile(purpose, form, o));
            case CpAsync _, CpAsyncCommitGroup _, CpAsyncWaitAll _, CpAsyncWaitGroup _, BulkLoad _, BulkStore _,
                    BulkClusterCopy _, BulkClusterReduce _, BulkReduce _, BulkCommitGroup _, BulkWaitGroup _, TensorLoad _,
                    TensorStore _, TensorReduce _, TensorPrefetch _, StAsync _, RedAsync _ ->
                    List.of(PerformedCopies.compile(purpose, form, o));

            case BarrierClusterArrive f -> met(purpose, f.aligned(), new ClusterOps.Arrive(purpose));
            case BarrierClusterWait f -> met(purpose, f.aligned(), new ClusterOps.Wait(purpose));
            case ElectSync f -> elect(purpose, f, o);
            case Mapa f -> {
                requireWideGeneric(form, f.shared(), f.wide());
                yield List.of(new ClusterOps.Mapa(purpose, !f.shared(), o.number("address"), o.number("cta"), o.result("mapped")));
            }
            case Getctarank f -> {
                requireWideGeneric(form, f.shared(), f.wide());
                yield List.of(new ClusterOps.RankOf(purpose, !f.shared(), o.number("address"), o.result("cta")));
            }
            case Cvta f -> cvta(purpose, f, o);
            case Isspacep f -> isspacep(purpose, f, o);

            case Ldmatrix f -> List.of(new MatrixOps.Load(purpose, o.place("src"), f.transposed(), o.results()));
            case Stmatrix f -> List.of(new MatrixOps.Store(purpose, o.place("dst"), f.transposed(), o.numbers("row")));

            case TensormapReplace f -> List.of(new MapOps.ReplaceAnywhere(purpose, o.place("map"), f,
                    o.has("value") ? o.number("value") : NOTHING));
            case TensormapCpFenceproxy _ -> List.of(new MapOps.Publish(purpose, o.namedGlobal("dst"), o.namedShared("src")));
            case FenceProxyTensormapAcquire _ -> List.of(new MapOps.Acquire(purpose, o.namedGlobal("map")));
            case FenceProxyTensormapRelease _ -> throw new Fault(Kind.NOT_MODELLED, form.opcode()
                    + " does not say which map it is for: say so with Operation.ReleaseMap");
            case Discard _ -> List.of(new DiscardOp(purpose, o.place("address")));

            case CreatePolicyCvt _, CreatePolicyFractional _, CreatePolicyRange _ ->
                    List.of(new ControlOps.Let(purpose, o.result("policy"), NOTHING));
            case ApplyPriority _, BulkPrefetch _, Fence _, FenceMbarrierInit _, FenceProxyAlias _, FenceProxyAsync _,
                    FenceProxyAsyncRestrict _, FenceSyncRestrict _, Griddepcontrol _, Prefetch _, PrefetchTensormap _,
                    PrefetchUniform _, Setmaxnreg _ -> List.of(new ControlOps.Fence(purpose));
            case ClusterLaunchControlFirstCtaid _, ClusterLaunchControlIsCanceled _, ClusterLaunchControlTryCancel _,
                    RedAsyncRelease _, StAsyncRelease _, StBulk _ -> throw new Fault(Kind.NOT_MODELLED, form.opcode()
                    + " is emitted, not run on the CPU");
        };
    }

    /** What {@code .aligned} asks for first: the whole warp. */
    private static List<Op> met(String purpose, boolean aligned, Op op) {
        return aligned ? List.of(new WarpOps.Meet(purpose), op) : List.of(op);
    }

    private List<Op> elect(String purpose, ElectSync f, Operands o) {
        IndexCode members = o.number("members");
        int lane = f.laneWanted() ? o.result("lane") : AccessOps.NO_RESULT;
        return met(purpose, members instanceof IndexCode.Constant(long mask) && (int) mask == -1,
                new WarpOps.Elect(purpose, members, o.result("elected"), lane));
    }

    private static void requireWideGeneric(PtxInstruction form, boolean shared, boolean wide) {
        if (!shared && !wide) {
            throw new Fault(Kind.NOT_MODELLED, form.opcode() + " takes generic addresses of 32 bits, and they have 64 here: use "
                    + "the form with .shared::cluster or with .u64");
        }
    }

    private static List<Op> cvta(String purpose, Cvta f, Operands o) {
        return switch (f.space()) {
            case GLOBAL -> List.of(new ControlOps.Let(purpose, o.result("converted"), o.number("address")));
            case SHARED, SHARED_CTA, SHARED_CLUSTER -> List.of(new ClusterOps.Convert(purpose, f.toSpace(),
                    f.space() != AddressSpace.SHARED_CLUSTER, o.number("address"), o.result("converted")));
            case CONST, LOCAL, PARAM, PARAM_ENTRY -> throw new Fault(Kind.NOT_MODELLED, f.opcode()
                    + ": the reference has no addresses in that space");
        };
    }

    private static List<Op> isspacep(String purpose, Isspacep f, Operands o) {
        IndexCode address = o.number("address");
        return switch (f.space()) {
            case GLOBAL -> List.of(new ClusterOps.IsShared(purpose, false, false, address, o.result("inside")));
            case SHARED, SHARED_CTA -> List.of(new ClusterOps.IsShared(purpose, true, true, address, o.result("inside")));
            case SHARED_CLUSTER -> List.of(new ClusterOps.IsShared(purpose, true, false, address, o.result("inside")));
            case CONST, LOCAL, PARAM, PARAM_ENTRY -> List.of(new ControlOps.Let(purpose, o.result("inside"), NOTHING));
        };
    }
}
