package dev.tilewright.reference;

import dev.tilewright.ptx.AtomOp;
import dev.tilewright.ptx.BulkClusterCopy;
import dev.tilewright.ptx.BulkClusterReduce;
import dev.tilewright.ptx.BulkCommitGroup;
import dev.tilewright.ptx.BulkLoad;
import dev.tilewright.ptx.BulkReduce;
import dev.tilewright.ptx.BulkStore;
import dev.tilewright.ptx.BulkWaitGroup;
import dev.tilewright.ptx.CpAsync;
import dev.tilewright.ptx.CpAsyncCommitGroup;
import dev.tilewright.ptx.CpAsyncWaitAll;
import dev.tilewright.ptx.CpAsyncWaitGroup;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Destination;
import dev.tilewright.ptx.LoadMode;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.RedAsync;
import dev.tilewright.ptx.ReduceOp;
import dev.tilewright.ptx.StAsync;
import dev.tilewright.ptx.StoreMode;
import dev.tilewright.ptx.TensorLoad;
import dev.tilewright.ptx.TensorPrefetch;
import dev.tilewright.ptx.TensorReduce;
import dev.tilewright.ptx.TensorStore;
import dev.tilewright.ptx.WordType;
import dev.tilewright.reference.ReferenceException.Kind;

/** Asynchronous copies, stores and reductions as performed instructions. Cache hints change no byte. */
final class PerformedCopies {
    private PerformedCopies() {
    }

    static Op compile(String purpose, PtxInstruction form, Operands o) {
        return switch (form) {
            case CpAsync f -> new AsyncOps.CpAsync(purpose, o.place("dst"), o.place("src"), f.bytes(), sourceBytes(f, o));
            case CpAsyncCommitGroup _ -> new CpAsyncOps.Commit(purpose);
            case CpAsyncWaitGroup f -> new CpAsyncOps.Wait(purpose, f.pending());
            case CpAsyncWaitAll _ -> new CpAsyncOps.WaitAll(purpose);
            case BulkLoad f -> new AsyncOps.BulkLoad(purpose, landing(o, f.destination(), f.multicast()), o.place("src"),
                    o.number("bytes"));
            case BulkStore _ -> new AsyncOps.BulkStore(purpose, o.place("dst"), o.place("src"), o.number("bytes"));
            case BulkClusterCopy _ -> new AsyncOps.ClusterCopy(purpose, landing(o), o.place("src"), o.number("bytes"));
            case BulkClusterReduce f -> new AsyncOps.ClusterReduce(purpose, landing(o), o.place("src"), o.number("bytes"),
                    op(f.op()), type(f.type()));
            case BulkCommitGroup _ -> new BulkOps.Commit(purpose);
            case BulkWaitGroup f -> new BulkOps.Wait(purpose, f.pending(), f.read());
            case TensorLoad f -> new AsyncOps.TensorLoad(purpose, landing(o, f.destination(), f.multicast()),
                    o.tensor(f.rank(), false), f.mode() == LoadMode.IM2COL, o.numbers("c"), o.numbers("offset"));
            case TensorStore f -> new AsyncOps.TensorStore(purpose, o.tensor(f.rank(), true),
                    f.mode() == StoreMode.IM2COL_NO_OFFS, o.numbers("c"), o.place("src"));
            case TensorReduce f -> new AsyncOps.TensorReduce(purpose, f.op(), o.tensor(f.rank(), true),
                    f.mode() == StoreMode.IM2COL_NO_OFFS, o.numbers("c"), o.place("src"));
            case BulkReduce f -> new AsyncOps.BulkReduce(purpose, Reduction.linear(f.op(), ReduceType.valueOf(f.type().name())),
                    o.place("dst"), o.place("src"), o.number("bytes"));
            case TensorPrefetch f -> new MapOps.Prefetch(purpose, o.tensor(f.rank(), false));
            case StAsync f -> new AsyncOps.Store(purpose, landing(o), values(o), f.type().bytes());
            case RedAsync f -> new AsyncOps.Update(purpose, landing(o), o.number("value"), op(f.op()), type(f.type()));
            default -> throw new Fault(Kind.NOT_MODELLED, form.opcode() + " is emitted, not run on the CPU");
        };
    }

    private static IndexCode sourceBytes(CpAsync f, Operands o) {
        return switch (f.source()) {
            case WHOLE -> new IndexCode.Constant(f.bytes());
            case SIZED -> o.number("src_bytes");
            case IGNORABLE -> {
                IndexCode ignored = o.number("ignore_src");
                yield t -> ignored.value(t) != 0 ? 0 : f.bytes();
            }
        };
    }

    private static LandingPlace landing(Operands o) {
        return new LandingPlace(o.place("dst"), o.place("mbar"));
    }

    private static LandingPlace landing(Operands o, Destination destination, boolean multicast) {
        return new LandingPlace(o.place("dst"), o.place("mbar"), multicast ? o.number("cta_mask") : null,
                destination == Destination.SHARED_CTA);
    }

    private static IndexCode[] values(Operands o) {
        return o.has("value0") ? o.numbers("value") : new IndexCode[] {o.number("value")};
    }

    private static AtomOp op(ReduceOp op) {
        return AtomOp.valueOf(op.name());
    }

    private static WordType type(DataType type) {
        return WordType.valueOf(type.name());
    }
}
