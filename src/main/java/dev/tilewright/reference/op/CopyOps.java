package dev.tilewright.reference.op;

import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.reference.box.ByteRows;
import dev.tilewright.reference.box.Combiner;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.math.AtomicMath;
import dev.tilewright.reference.state.BoundTensor;
import dev.tilewright.reference.state.BulkStoreQueue;
import dev.tilewright.reference.state.CpAsyncQueue;
import dev.tilewright.reference.state.InFlight;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.SharedMemory;
import dev.tilewright.reference.state.TensorSource;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.state.Transfer;

/**
 * Copies, stores and updates that land later. Everything is checked when one starts; {@link CpAsyncQueue},
 * {@link InFlight}, {@link BulkStoreQueue} and {@link TensorBox} say what happens then.
 */
public final class CopyOps {
    private static final int BULK_ALIGNMENT = 16;
    private static final int TENSOR_ALIGNMENT = 128;
    private static final int[] NO_OFFSETS = {};

    private CopyOps() { }

    /** @param sourceBytes how many bytes to read; the rest of the destination becomes zeros */
    public record CpAsync(OpAccess writes, OpAccess reads, AddressOperand to, AddressOperand from, int bytes,
            IndexCode sourceBytes)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long read = sourceBytes.value(t);
            if (read < 0 || read > bytes) {
                throw new Fault(Kind.BAD_SIZE, "cp.async of " + bytes + " bytes can read 0 to " + bytes + " bytes, got "
                        + read);
            }
            ResolvedAddress.InShared destination = to.own(t, bytes, bytes, writes, "the destination of cp.async");
            ResolvedAddress.InGlobal source = from.global(t, (int) read, bytes, reads, "the source of cp.async");
            t.copies.start(source.memory(), source.offset(), destination.address(), bytes, (int) read);
            return pc + 1;
        }
    }

    /** @param constant whether nothing writes the source while the program runs, and the run is not watched */
    public record BulkLoad(CopyDestination to, OpAccess reads, AddressOperand from, IndexCode bytes, boolean constant)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = requireSize(bytes.value(t));
            to.start(t, count, count, BULK_ALIGNMENT, (block, address, barrier) -> {
                ResolvedAddress.InGlobal source = from.global(t, count, BULK_ALIGNMENT, reads,
                        "the source of a bulk load");
                Transfer fetch = (shared, at) -> source.memory().copyTo(source.offset(), shared, at, count);
                return new InFlight.Copy(lending(constant ? source.memory().rows(source.offset(), count) : null, count,
                        fetch), block, address, barrier, count, t, pc);
            });
            return pc + 1;
        }
    }

    /**
     * A load that leaves its bytes where they are, as far as it may. @param rows what they are; null where they must
     * come
     */
    private static Transfer lending(ByteRows rows, int count, Transfer fetch) {
        return rows == null ? fetch : (shared, at) -> shared.lend(at, count, rows, fetch);
    }

    /** @param mask bit n says whether the bytes n of all chunks of 16 are written; null for all bytes */
    public record BulkStore(Site site, OpAccess writes, AddressOperand to, OpAccess reads, AddressOperand from,
            IndexCode bytes, IndexCode mask) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = requireSize(bytes.value(t));
            site.storeStarts(t);
            ResolvedAddress.InShared source = from.own(t, count, BULK_ALIGNMENT, reads, "the source of a bulk store");
            ResolvedAddress.InGlobal destination = to.global(t, count, BULK_ALIGNMENT,
                    mask == null ? writes : OpAccess.NONE, "the destination of a bulk store").writable();
            if (mask == null) {
                site.storesWhatWasRead(t);
                t.stores.start((shared, at) -> destination.memory().copyFrom(destination.offset(), shared, at, count),
                        source.address(), count,
                        t.block.shared().lends() ? destination.memory().rows(destination.offset(), count) : null);
                return pc + 1;
            }
            ByteMask bytesOfEach = new ByteMask((int) mask.value(t));
            bytesOfEach.runs(count, (first, length) -> {
                site.storesBytes(t, source.address() + first, length);
                writes.global(t, destination.memory(), destination.offset() + first, length);
            });
            t.stores.start((shared, at) -> bytesOfEach.runs(count, (first, length) ->
                    destination.memory().copyFrom(destination.offset() + first, shared, at + first, length)),
                    source.address(), count);
            return pc + 1;
        }
    }

    /** From the block's own shared memory to that of a block of the cluster; the source is read when it lands. */
    public record ClusterCopy(CopyDestination to, OpAccess reads, AddressOperand from, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = requireSize(bytes.value(t));
            to.start(t, count, count, BULK_ALIGNMENT, (block, address, barrier) -> {
                int source = from.own(t, count, BULK_ALIGNMENT, reads, "the source of a bulk copy").address();
                return new InFlight.Copy(
                        (shared, at) -> System.arraycopy(t.block.shared().at(source, count), source,
                                shared.overwritten(at, count), at, count),
                        block, address, barrier, count, t, pc);
            });
            follow(t, to, from, count);
            return pc + 1;
        }
    }

    /** Undefined bytes stay so where they are copied to, in a run that is watched. */
    private static void follow(ThreadState t, CopyDestination to, AddressOperand from, int count) {
        if (t.undefined.wroteTo != null) {
            int source = from.own(t, count, BULK_ALIGNMENT, OpAccess.NONE, "the source").address();
            ValueFlow.copied(t, to.site().step(), source, count);
        }
    }

    /** A reduction into shared memory of the cluster, each element by itself. */
    public record ClusterReduce(CopyDestination to, OpAccess reads, AddressOperand from, IndexCode bytes, AtomicOp op,
            DataType type)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (t.block.cluster().blocks().length == 1) {
                throw new Fault(Kind.ILLEGAL_INSTRUCTION, "a reduction into shared memory is for clusters of several "
                        + "blocks: in a kernel "
                        + "without them the hardware faults with ILLEGAL_INSTRUCTION (seen on an H200)");
            }
            int count = requireSize(bytes.value(t));
            int size = type.bytes();
            to.start(t, count, count, BULK_ALIGNMENT, (block, address, barrier) -> {
                int source = from.own(t, count, BULK_ALIGNMENT, reads, "the source of a bulk reduction").address();
                return new InFlight.Copy((shared, at) -> {
                    for (int i = 0; i < count; i += size) {
                        update(shared, at + i, t.block.shared().get(source + i, size), op, type);
                    }
                }, block, address, barrier, count, t, pc);
            });
            follow(t, to, from, count);
            return pc + 1;
        }
    }

    /**
     * @param offsets the im2col operands of the mode, where it has any
     * @param constant whether nothing writes the map's own memory while the program runs, and the run is not watched
     */
    public record TensorLoad(Site site, CopyDestination to, OpAccess reads, TensorSource map, LoadMode mode,
            IndexCode[] coordinates, IndexCode[] offsets, boolean constant) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            BoundTensor tensor = map.of(t);
            TensorBox box = tensor.box(mode);
            int[] at = values(coordinates, t);
            int[] by = values(offsets, t);
            tensor.check(box, at, by, false);
            int counted = box.transactionBytes(by);
            int taken = box.sharedBytes(by);
            to.start(t, counted, taken, TENSOR_ALIGNMENT, (block, address, barrier) -> {
                site.box(t, block, address, box);
                reads.box(t, tensor, box, at, by);
                if (to.tellsItsThread(t, block)) {
                    map.copyStarts(t);
                }
                Transfer fetch = (shared, place) -> box.loadChecked(tensor.memory(), at, by,
                        box.isSolid() ? shared.overwritten(place, taken) : shared.at(place, taken), place);
                return new InFlight.Copy(lending(constant ? box.rows(tensor.memory(), at, false) : null, taken, fetch),
                        block, address, barrier, counted, t, pc);
            });
            return pc + 1;
        }
    }

    /** @param op by which elements are combined with the tensor's; null where they replace them */
    public record TensorStore(Site site, OpAccess changes, AtomicOp op, TensorSource map, LoadMode mode,
            IndexCode[] coordinates, OpAccess reads, AddressOperand from) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            BoundTensor tensor = map.of(t);
            TensorBox box = tensor.box(mode);
            Combiner reduction = op == null ? null : box.reduction(op);
            int[] at = values(coordinates, t);
            site.storeStarts(t);
            int taken = box.sharedBytes();
            int source = from.own(t, taken, TENSOR_ALIGNMENT, reads, op == null ? "the source of a tensor store"
                    : "the source of a tensor reduction").address();
            tensor.check(box, at, NO_OFFSETS, true);
            site.storesBox(t, tensor, box, at, source);
            site.box(t, t.block, source, box);
            changes.box(t, tensor, box, at, NO_OFFSETS);
            map.copyStarts(t);
            if (op == null) {
                t.stores.start((shared, place) -> box.storeChecked(tensor.memory(), at, shared.at(place, taken), place),
                        source, taken, t.block.shared().lends() ? box.rows(tensor.memory(), at, true) : null);
            } else {
                t.stores.start((shared, place) -> box.reduceChecked(reduction, tensor.memory(), at,
                        shared.at(place, taken), place), source, taken);
            }
            return pc + 1;
        }
    }

    public record BulkReduce(Site site, OpAccess updates, Combiner reduction, AddressOperand to, OpAccess reads,
            AddressOperand from, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = requireSize(bytes.value(t));
            site.storeStarts(t);
            ResolvedAddress.InShared source = from.own(t, count, BULK_ALIGNMENT, reads,
                    "the source of a bulk reduction");
            site.storesWhatWasRead(t);
            ResolvedAddress.InGlobal destination =
                    to.global(t, count, BULK_ALIGNMENT, updates, "the destination of a bulk reduction").writable();
            t.stores.start((shared, at) -> reduction.apply(shared.at(at, count), at, destination.memory().segment(),
                    destination.offset(), count), source.address(), count);
            return pc + 1;
        }
    }

    /** {@code st.async}: the values are taken when it starts. @param size bytes of each */
    public record Store(CopyDestination to, IndexCode[] values, int size) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long[] taken = new long[values.length];
            for (int i = 0; i < taken.length; i++) {
                taken[i] = values[i].value(t);
            }
            int count = size * taken.length;
            to.start(t, count, count, count, (block, address, barrier) -> new InFlight.Copy((shared, at) -> {
                for (int i = 0; i < taken.length; i++) {
                    shared.set(at + i * size, size, taken[i]);
                }
            }, block, address, barrier, count, t, pc));
            return pc + 1;
        }
    }

    /** {@code red.async}: the value is taken when it starts. */
    public record Update(CopyDestination to, IndexCode value, AtomicOp op, DataType type) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long taken = value.value(t);
            int size = type.bytes();
            to.start(t, size, size, size, (block, address, barrier) -> new InFlight.Copy(
                    (shared, at) -> update(shared, at, taken, op, type), block, address, barrier, size, t, pc));
            return pc + 1;
        }
    }

    private static int requireSize(long bytes) {
        if (bytes <= 0 || bytes % BULK_ALIGNMENT != 0) {
            throw new Fault(Kind.BAD_SIZE,
                    "a bulk copy moves a multiple of " + BULK_ALIGNMENT + " bytes and at least " + BULK_ALIGNMENT
                    + ", got " + bytes);
        }
        return (int) bytes;
    }

    private static int[] values(IndexCode[] coordinates, ThreadState t) {
        int[] at = new int[coordinates.length];
        for (int d = 0; d < at.length; d++) {
            at[d] = (int) coordinates[d].value(t);
        }
        return at;
    }

    private static void update(SharedMemory shared, int address, long value, AtomicOp op, DataType type) {
        int size = type.bytes();
        shared.set(address, size, AtomicMath.apply(op, type, shared.get(address, size), value, 0, false));
    }
}
