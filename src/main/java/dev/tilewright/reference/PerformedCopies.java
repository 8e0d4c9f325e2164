package dev.tilewright.reference;

import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.WordType;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.Destination;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.ReduceOp;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.memory.AtomOp;
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

    private static CopyDestination landing(Operands o) {
        return new CopyDestination(o.place("dst"), o.place("mbar"));
    }

    private static CopyDestination landing(Operands o, Destination destination, boolean multicast) {
        return new CopyDestination(o.place("dst"), o.place("mbar"), multicast ? o.number("cta_mask") : null,
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
