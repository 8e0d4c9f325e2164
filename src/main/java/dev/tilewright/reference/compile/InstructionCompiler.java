package dev.tilewright.reference.compile;

import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.approx.Approximation;
import dev.tilewright.ptx.cache.ApplyPriority;
import dev.tilewright.ptx.cache.CacheInstruction;
import dev.tilewright.ptx.cache.CreatePolicyCvt;
import dev.tilewright.ptx.cache.CreatePolicyFractional;
import dev.tilewright.ptx.cache.CreatePolicyRange;
import dev.tilewright.ptx.cache.Discard;
import dev.tilewright.ptx.cache.Prefetch;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.cache.PrefetchUniform;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.ClusterInstruction;
import dev.tilewright.ptx.cluster.ClusterLaunchControlFirstCtaid;
import dev.tilewright.ptx.cluster.ClusterLaunchControlIsCanceled;
import dev.tilewright.ptx.cluster.ClusterLaunchControlTryCancel;
import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Griddepcontrol;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAlias;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyAsyncRestrict;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.memory.AddressConversion;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.Isspacep;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.mma.MmaInstruction;
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
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.op.AccessOps;
import dev.tilewright.reference.op.ClusterOps;
import dev.tilewright.reference.op.ControlOps;
import dev.tilewright.reference.op.CopyDestination;
import dev.tilewright.reference.op.DiscardOp;
import dev.tilewright.reference.op.LaneOps;
import dev.tilewright.reference.op.LaunchOps;
import dev.tilewright.reference.op.MapOps;
import dev.tilewright.reference.op.MatrixOps;
import dev.tilewright.reference.op.NamedBarrierOps;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.op.Site;
import dev.tilewright.reference.op.WarpOps;
import dev.tilewright.reference.state.Slots;
import dev.tilewright.reference.state.WarpConvergence;
import java.util.List;

/**
 * Turns an instruction into operations: every record of the catalogue has its line here, or in the compiler of its
 * family. What has no effect on bytes (hints, registers) does nothing, a cache policy is the number 0, and what only
 * newer GPUs have is refused.
 */
final class InstructionCompiler {
    private static final IndexCode ZERO = new IndexCode.Constant(0);
    /** The mask of all blocks of the cluster. */
    private static final IndexCode EVERY_BLOCK = t -> (1L << t.block.cluster().blocks().length) - 1;

    private InstructionCompiler() { }

    /** @throws Fault if the reference does not run the instruction */
    static List<Op> compile(PtxInstruction form, GivenOperands o) {
        if (form.emitOnly()) {
            throw new Fault(Kind.NOT_MODELLED, form.opcode() + " is for " + form.minimumTarget()
                    + " and later: it is emitted, not run on the CPU");
        }
        return switch (form) {
            case ScopedAccess f -> List.of(access(f, o));
            case MbarrierInstruction f -> List.of(MbarrierCompiler.compile(f, o));
            case CopyInstruction f -> List.of(CopyCompiler.compile(f, o));
            case FenceInstruction f -> List.of(fence(f, o));
            case ClusterInstruction f -> cluster(f, o);
            case WarpInstruction f -> warp(f, o);
            case AddressConversion f -> List.of(conversion(f, o));
            case TensormapInstruction f -> List.of(tensormap(f, o));
            case CacheInstruction f -> List.of(cache(f, o));
            case Approximation f -> throw new Fault(Kind.NOT_MODELLED,
                    f.opcode() + " is not exact: as an instruction it is "
                    + "emitted, not run on the CPU; use the function of values, or the approximation as one");
            case MmaInstruction f -> List.of(MmaCompiler.compile(f, o));
        };
    }

    /** A load or an update. */
    static AccessOps.Reading reading(ScopedAccess form, GivenOperands o) {
        return switch (form) {
            case Ld f -> new AccessOps.Loading(o.place("src"), f.type());
            case Atom f -> new AccessOps.Updating(o.place("dst"), f.op(), f.type(), o.number("value"),
                    f.op() == AtomicOp.CAS ? o.number("replacement") : ZERO);
            case Red f -> new AccessOps.Updating(o.place("dst"), f.op(), f.type(), o.number("value"), ZERO);
            case St f -> throw new Fault(Kind.NOT_MODELLED, f.opcode() + " reads nothing");
        };
    }

    private static Op access(ScopedAccess form, GivenOperands o) {
        return switch (form) {
            case Ld f -> new AccessOps.Load(o.site().reads(), (AccessOps.Loading) reading(f, o), o.result("value"));
            case St f -> new AccessOps.Store(o.site().writes(), o.place("dst"), f.type(), o.number("value"));
            case Atom f -> new AccessOps.Update(o.site().updates(), (AccessOps.Updating) reading(f, o),
                    o.result("old"));
            case Red f -> new AccessOps.Update(o.site().updates(), (AccessOps.Updating) reading(f, o), Slots.NONE);
        };
    }

    private static Op fence(FenceInstruction form, GivenOperands o) {
        return switch (form) {
            case FenceProxyTensormapAcquire _ -> new MapOps.Acquire(o.site(), o.place("map"));
            // A release publishes the maps that the thread has written by ordinary stores.
            case Fence _, FenceMbarrierInit _, FenceProxyAlias _, FenceProxyAsync _, FenceProxyAsyncRestrict _,
                    FenceProxyTensormapRelease _, FenceSyncRestrict _ -> new ControlOps.Fence(o.site());
        };
    }

    private static List<Op> cluster(ClusterInstruction form, GivenOperands o) {
        return switch (form) {
            case BarrierClusterArrive f -> together(o.site(), f.aligned(), new ClusterOps.Arrive(o.site()));
            case BarrierClusterWait f -> together(o.site(), f.aligned(), new ClusterOps.Wait(o.site()));
            case Mapa f -> {
                requireWideGeneric(form, f.shared(), f.wide());
                yield List.of(new ClusterOps.Mapa(!f.shared(), o.number("address"), o.number("cta"),
                        o.result("mapped")));
            }
            case Getctarank f -> {
                requireWideGeneric(form, f.shared(), f.wide());
                yield List.of(new ClusterOps.RankOf(!f.shared(), o.number("address"), o.result("cta")));
            }
            case Griddepcontrol f -> List.of(f.action() == Griddepcontrol.Action.WAIT
                    ? new ControlOps.AwaitPriorGrid(o.site())
                    : new ControlOps.Nothing());
            case ClusterLaunchControlTryCancel f -> List.of(new LaunchOps.TryCancel(new CopyDestination(o.site(),
                    o.site().copyWrites(), o.place("answer"), o.place("mbar"), f.multicast() ? EVERY_BLOCK : null,
                    true)));
            case ClusterLaunchControlIsCanceled _ -> List.of(new LaunchOps.IsCanceled(o.wide("answer").getFirst(),
                    o.result("canceled")));
            case ClusterLaunchControlFirstCtaid _ -> List.of(new LaunchOps.FirstBlock(o.wide("answer").getFirst(),
                    o.wide("answer").getLast(), o.result("x"), o.result("y"), o.result("z")));
        };
    }

    private static List<Op> warp(WarpInstruction form, GivenOperands o) {
        return switch (form) {
            case ElectSync f -> {
                IndexCode members = o.number("members");
                int elected = o.result("elected");
                WarpOps.Elect elect = new WarpOps.Elect(elected, f.lane() ? o.result("lane") : Slots.NONE);
                yield List.of(new LaneOps.Together(o.site(), f, members, ZERO, false, elect));
            }
            case Ldmatrix f ->
                    List.of(new MatrixOps.Load(o.site(), o.site().reads(), o.place("src"), f.transposed(),
                            o.registers("r"), f.registers()));
            case Stmatrix f ->
                    List.of(new MatrixOps.Store(o.site(), o.site().writes(), o.place("dst"), f.transposed(),
                            o.registers("r"),
                    f.registers()));
            case Activemask _ ->
                    List.of(new ControlOps.Let(o.result("lanes"), t -> (int) (1L << WarpConvergence.lane(t))));
            case BarWarpSync f ->
                    List.of(new LaneOps.Together(o.site(), f, o.number("members"), ZERO, true, LaneOps.nothing()));
            case ShflSync f -> List.of(lanes(f, o, o.number("value"), LaneOps.shuffle(f.mode(), o.number("lane"),
                    o.number("clamp"), o.result("taken"), result(o, f.inside(), "inside"))));
            case VoteSync f -> List.of(lanes(f, o, o.number("predicate"), LaneOps.vote(f.mode(),
                    o.result(f.results().getFirst().name()))));
            case MatchSync f ->
                    List.of(lanes(f, o, o.number("value"), LaneOps.match(f.all(), f.wide() ? Long.SIZE : Integer.SIZE,
                    o.result("mask"), result(o, f.same(), "same"))));
            case ReduxSync f ->
                    List.of(lanes(f, o, o.number("value"), LaneOps.reduce(f.op(), f.type(), o.result("reduced"))));
            case BarrierCtaSync f ->
                    List.of(new NamedBarrierOps.Come(o.site(), f.opcode(), f.aligned(), o.number("barrier"),
                    f.counted() ? o.number("threads") : null, true));
            case BarrierCtaArrive f ->
                    List.of(new NamedBarrierOps.Come(o.site(), f.opcode(), f.aligned(), o.number("barrier"),
                    o.number("threads"), false));
            case BarrierCtaRed f ->
                    List.of(new NamedBarrierOps.Come(o.site(), f.opcode(), f.aligned(), o.number("barrier"),
                    f.counted() ? o.number("threads") : null, true, o.number("predicate"), f.op(),
                    o.result(f.results().getFirst().name())));
            case Setmaxnreg _ -> together(o.site(), true, new ControlOps.Nothing());
            case Nanosleep _ -> List.of(new ControlOps.Nothing());
        };
    }

    private static Op lanes(WarpInstruction form, GivenOperands o, IndexCode value, LaneOps.Part part) {
        return new LaneOps.Together(o.site(), form, o.number("members"), value, false, part);
    }

    private static int result(GivenOperands o, boolean there, String name) {
        return there ? o.result(name) : Slots.NONE;
    }

    /** What {@code .aligned} asks for first: the whole warp. */
    private static List<Op> together(Site site, boolean aligned, Op op) {
        return aligned ? List.of(new WarpOps.Meet(site), op) : List.of(op);
    }

    private static void requireWideGeneric(PtxInstruction form, boolean shared, boolean wide) {
        if (!shared && !wide) {
            throw new Fault(Kind.NOT_MODELLED, form.opcode() + " takes generic addresses of 32 bits, and they have 64 "
                    + "here: use the form with .shared::cluster or with .u64");
        }
    }

    private static Op conversion(AddressConversion form, GivenOperands o) {
        IndexCode address = o.number("address");
        return switch (form) {
            case Cvta f -> switch (f.space()) {
                case GLOBAL -> new ControlOps.Let(o.result("converted"), address);
                case SHARED, SHARED_CTA -> new ClusterOps.Convert(f.toSpace(), true, address, o.result("converted"));
                case SHARED_CLUSTER -> new ClusterOps.Convert(f.toSpace(), false, address, o.result("converted"));
                case CONST, LOCAL, PARAM, PARAM_ENTRY -> throw new Fault(Kind.NOT_MODELLED, f.opcode()
                        + ": the reference has no addresses in that space");
            };
            case Isspacep f -> switch (f.space()) {
                case GLOBAL -> new ClusterOps.IsShared(false, false, address, o.result("inside"));
                case SHARED, SHARED_CTA -> new ClusterOps.IsShared(true, true, address, o.result("inside"));
                case SHARED_CLUSTER -> new ClusterOps.IsShared(true, false, address, o.result("inside"));
                case CONST, LOCAL, PARAM, PARAM_ENTRY -> new ControlOps.Let(o.result("inside"), ZERO);
            };
        };
    }

    private static Op tensormap(TensormapInstruction form, GivenOperands o) {
        return switch (form) {
            case TensormapReplace f -> new MapOps.Replace(o.site().updates(), o.place("map"), f,
                    o.has("value") ? o.number("value") : ZERO);
            case TensormapCpFenceproxy _ -> new MapOps.Publish(o.site(), o.site().writes(), o.place("dst"),
                    o.site().reads(), o.place("src"));
        };
    }

    private static Op cache(CacheInstruction form, GivenOperands o) {
        return switch (form) {
            case Discard _ -> new DiscardOp(o.site().writes(), o.place("address"));
            case CreatePolicyCvt _, CreatePolicyFractional _, CreatePolicyRange _ ->
                    new ControlOps.Let(o.result("policy"), ZERO);
            case PrefetchTensormap _ -> o.map().<Op>map(MapOps.Prefetch::new).orElseGet(ControlOps.Nothing::new);
            case ApplyPriority _, Prefetch _, PrefetchUniform _ -> new ControlOps.Nothing();
        };
    }

    static Fault notRun(PtxInstruction form) {
        return new Fault(Kind.NOT_MODELLED, form.opcode() + " is emitted, not run on the CPU");
    }
}
