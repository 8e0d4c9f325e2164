package dev.tilewright.reference.compile;

import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkPrefetch;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.Destination;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.RedAsyncRelease;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.StAsyncRelease;
import dev.tilewright.ptx.copy.StBulk;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.reference.box.Combiner;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.op.ControlOps;
import dev.tilewright.reference.op.CopyDestination;
import dev.tilewright.reference.op.CopyOps;
import dev.tilewright.reference.op.GroupOps;
import dev.tilewright.reference.op.MapOps;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.op.OpAccess;
import dev.tilewright.reference.op.Site;

/** Asynchronous copies, stores and reductions, and their groups. Cache hints change no byte. */
final class CopyCompiler {
    private CopyCompiler() { }

    static Op compile(CopyInstruction form, GivenOperands o) {
        Site s = o.site();
        return switch (form) {
            case CpAsync f -> new CopyOps.CpAsync(s.writes(), s.reads(), o.place("dst"), o.place("src"), f.bytes(),
                    sourceBytes(f, o));
            case CpAsyncCommitGroup _ -> new GroupOps.CommitCopies(s);
            case CpAsyncWaitGroup f -> new GroupOps.WaitForCopies(s, f.pending());
            case CpAsyncWaitAll _ -> new GroupOps.WaitForAllCopies(s);
            case BulkCommitGroup _ -> new GroupOps.CommitBulk(s);
            case BulkWaitGroup f -> new GroupOps.WaitForBulk(s, f.pending(), f.read());
            case BulkLoad f -> new CopyOps.BulkLoad(destination(o, f.destination(), f.multicast()), s.copyReads(),
                    o.place("src"), o.number("bytes"), o.mayLend("src"));
            case BulkStore f -> new CopyOps.BulkStore(s, s.copyWrites(), o.place("dst"), s.copyReads(), o.place("src"),
                    o.number("bytes"), f.byteMask() ? o.number("byte_mask") : null);
            case BulkClusterCopy _ -> new CopyOps.ClusterCopy(destination(o, s.copyWrites()), s.copyReads(),
                    o.place("src"), o.number("bytes"));
            case BulkClusterReduce f -> new CopyOps.ClusterReduce(destination(o, s.copyUpdates()), s.copyReads(),
                    o.place("src"), o.number("bytes"), f.op(), f.type());
            case BulkReduce f -> new CopyOps.BulkReduce(s, s.copyUpdates(),
                    Combiner.linear(f.op(), f.type()), o.place("dst"), s.copyReads(), o.place("src"),
                    o.number("bytes"));
            case TensorLoad f -> new CopyOps.TensorLoad(s, destination(o, f.destination(), f.multicast()),
                    s.copyReads(), o.tensor("map", f.rank(), false), f.mode(), o.numbers("c"), extra(f.mode(), o),
                    o.mayLend("map"));
            case TensorStore f -> new CopyOps.TensorStore(s, s.copyWrites(), null, o.tensor("map", f.rank(), true),
                    f.mode().likeLoad(), o.numbers("c"), s.copyReads(), o.place("src"));
            case TensorReduce f -> new CopyOps.TensorStore(s, s.copyUpdates(), f.op(), o.tensor("map", f.rank(), true),
                    f.mode().likeLoad(), o.numbers("c"), s.copyReads(), o.place("src"));
            case TensorPrefetch f -> new MapOps.Prefetch(o.tensor("map", f.rank(), false));
            case BulkPrefetch _ -> new ControlOps.Nothing();
            case StAsync f -> new CopyOps.Store(destination(o, s.writes()), values(o), f.type().bytes());
            case RedAsync f -> new CopyOps.Update(destination(o, s.updates()), o.number("value"), f.op(), f.type());
            case StAsyncRelease _, RedAsyncRelease _, StBulk _ -> throw InstructionCompiler.notRun(form);
        };
    }

    /** The im2col operands of a load. */
    private static IndexCode[] extra(LoadMode mode, GivenOperands o) {
        return switch (mode) {
            case TILE, GATHER4, IM2COL -> o.numbers("offset");
            case IM2COL_W, IM2COL_W_128 -> new IndexCode[] {o.number("w_halo"), o.number("w_offset")};
        };
    }

    private static IndexCode sourceBytes(CpAsync f, GivenOperands o) {
        return switch (f.source()) {
            case WHOLE -> new IndexCode.Constant(f.bytes());
            case SIZED -> o.number("src_bytes");
            case IGNORABLE -> {
                IndexCode ignored = o.number("ignore_src");
                yield t -> ignored.value(t) != 0 ? 0 : f.bytes();
            }
        };
    }

    private static CopyDestination destination(GivenOperands o, OpAccess access) {
        return new CopyDestination(o.site(), access, o.place("dst"), o.place("mbar"));
    }

    private static CopyDestination destination(GivenOperands o, Destination destination, boolean multicast) {
        return new CopyDestination(o.site(), o.site().copyWrites(), o.place("dst"), o.place("mbar"),
                multicast ? o.number("cta_mask") : null, destination == Destination.SHARED_CTA);
    }

    private static IndexCode[] values(GivenOperands o) {
        return o.has("value0") ? o.numbers("value") : new IndexCode[] {o.number("value")};
    }
}
