package dev.tilewright.reference;

import dev.tilewright.ptx.WordType;
import dev.tilewright.ptx.copy.ReduceOp;
import dev.tilewright.ptx.memory.AtomOp;
import dev.tilewright.reference.ReferenceException.Kind;

/** Copies, stores and updates that land later, with operands of any kind: what {@link BulkOps} and others do for the usual ones. */
final class AsyncOps {
    private static final int BULK_ALIGNMENT = 16;
    private static final int TENSOR_ALIGNMENT = 128;

    private AsyncOps() {
    }

    /** @param sourceBytes how many bytes to read; the rest of the destination becomes zeros */
    record CpAsync(String purpose, AddressOperand to, AddressOperand from, int bytes, IndexCode sourceBytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int read = CpAsyncOps.requireSize(sourceBytes.value(t), bytes);
            ResolvedAddress.InShared destination = to.own(t, bytes, bytes, "the destination of cp.async");
            ResolvedAddress.InGlobal source = from.global(t, read, bytes, "the source of cp.async");
            t.copies.start(source.memory(), source.offset(), destination.address(), bytes, read);
            return pc + 1;
        }
    }

    record BulkLoad(String purpose, CopyDestination to, AddressOperand from, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = BulkOps.requireSize(bytes.value(t));
            ResolvedAddress.InGlobal source = from.global(t, count, BULK_ALIGNMENT, "the source of a bulk load");
            to.start(t, count, BULK_ALIGNMENT, (block, address, barrier) -> t.block.inFlight().start(new InFlight.Copy(
                    (shared, at) -> source.memory().copyTo(source.offset(), shared, at, count), block, address, barrier, count, t, pc)));
            return pc + 1;
        }
    }

    record BulkStore(String purpose, AddressOperand to, AddressOperand from, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = BulkOps.requireSize(bytes.value(t));
            ResolvedAddress.InShared source = from.own(t, count, BULK_ALIGNMENT, "the source of a bulk store");
            ResolvedAddress.InGlobal destination = to.global(t, count, BULK_ALIGNMENT, "the destination of a bulk store").writable();
            t.stores.start((shared, at) -> destination.memory().copyFrom(destination.offset(), shared, at, count),
                    source.address(), count);
            return pc + 1;
        }
    }

    /** From the block's own shared memory to that of a block of the cluster; the source is read when it lands. */
    record ClusterCopy(String purpose, CopyDestination to, AddressOperand from, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = BulkOps.requireSize(bytes.value(t));
            int source = from.own(t, count, BULK_ALIGNMENT, "the source of a bulk copy").address();
            to.start(t, count, BULK_ALIGNMENT, (block, address, barrier) -> t.block.inFlight().start(new InFlight.Copy(
                    (shared, at) -> System.arraycopy(t.block.shared().bytes(), source, shared.bytes(), at, count),
                    block, address, barrier, count, t, pc)));
            return pc + 1;
        }
    }

    /** The same, each element by itself. */
    record ClusterReduce(String purpose, CopyDestination to, AddressOperand from, IndexCode bytes, AtomOp op, WordType type) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (t.block.cluster().blocks().length == 1) {
                throw new Fault(Kind.NOT_MODELLED, "a reduction into shared memory is for clusters of several blocks: in a kernel "
                        + "without them the hardware faults with ILLEGAL_INSTRUCTION (seen on an H200)");
            }
            int count = BulkOps.requireSize(bytes.value(t));
            int source = from.own(t, count, BULK_ALIGNMENT, "the source of a bulk reduction").address();
            int size = type.type().bytes();
            to.start(t, count, BULK_ALIGNMENT, (block, address, barrier) -> t.block.inFlight().start(new InFlight.Copy((shared, at) -> {
                for (int i = 0; i < count; i += size) {
                    update(shared, at + i, t.block.shared().get(source + i, size), op, type);
                }
            }, block, address, barrier, count, t, pc)));
            return pc + 1;
        }
    }

    /** @param im2col whether in im2col mode @param offsets one for each spatial dimension there; else none */
    record TensorLoad(String purpose, CopyDestination to, TensorSource map, boolean im2col, IndexCode[] coordinates, IndexCode[] offsets)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            BoundTensor tensor = map.of(t);
            TensorBox box = tensor.box(im2col);
            int[] at = TensorOps.values(coordinates, t);
            int[] by = TensorOps.values(offsets, t);
            tensor.check(at, by, false);
            to.start(t, box.sharedBytes(by), TENSOR_ALIGNMENT, (block, address, barrier) -> t.block.inFlight().start(new InFlight.Copy(
                    tensor.started((shared, place) -> box.loadChecked(tensor.memory(), at, by, shared.bytes(), place)),
                    block, address, barrier, box.transactionBytes(by), t, pc)));
            return pc + 1;
        }
    }

    record TensorReduce(String purpose, ReduceOp op, TensorSource map, boolean im2col, IndexCode[] coordinates, AddressOperand from)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            BoundTensor tensor = map.of(t);
            TensorBox box = tensor.box(im2col);
            Reduction reduction = box.reduction(op);
            int[] at = TensorOps.values(coordinates, t);
            ResolvedAddress.InShared source = from.own(t, box.sharedBytes(), TENSOR_ALIGNMENT, "the source of a tensor reduction");
            tensor.check(at, true);
            t.stores.start(tensor.started((shared, place) -> box.reduceChecked(reduction, tensor.memory(), at, shared.bytes(), place)),
                    source.address(), box.sharedBytes());
            return pc + 1;
        }
    }

    record BulkReduce(String purpose, Reduction reduction, AddressOperand to, AddressOperand from, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = BulkOps.requireSize(bytes.value(t));
            ResolvedAddress.InShared source = from.own(t, count, BULK_ALIGNMENT, "the source of a bulk reduction");
            ResolvedAddress.InGlobal destination = to.global(t, count, BULK_ALIGNMENT, "the destination of a bulk reduction").writable();
            t.stores.start((shared, at) -> reduction.apply(shared.bytes(), at, destination.memory().segment(), destination.offset(), count),
                    source.address(), count);
            return pc + 1;
        }
    }

    /** @param im2col whether in im2col mode */
    record TensorStore(String purpose, TensorSource map, boolean im2col, IndexCode[] coordinates, AddressOperand from) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            BoundTensor tensor = map.of(t);
            TensorBox box = tensor.box(im2col);
            int[] at = TensorOps.values(coordinates, t);
            ResolvedAddress.InShared source = from.own(t, box.sharedBytes(), TENSOR_ALIGNMENT, "the source of a tensor store");
            tensor.check(at, true);
            t.stores.start(tensor.started((shared, place) -> box.storeChecked(tensor.memory(), at, shared.bytes(), place)),
                    source.address(), box.sharedBytes());
            return pc + 1;
        }
    }

    /** {@code st.async}: the values are taken when it starts. @param size bytes of each */
    record Store(String purpose, CopyDestination to, IndexCode[] values, int size) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long[] taken = new long[values.length];
            for (int i = 0; i < taken.length; i++) {
                taken[i] = values[i].value(t);
            }
            int count = size * taken.length;
            to.start(t, count, count, (block, address, barrier) -> t.block.inFlight().start(new InFlight.Copy((shared, at) -> {
                for (int i = 0; i < taken.length; i++) {
                    shared.set(at + i * size, size, taken[i]);
                }
            }, block, address, barrier, count, t, pc)));
            return pc + 1;
        }
    }

    /** {@code red.async}: the value is taken when it starts. */
    record Update(String purpose, CopyDestination to, IndexCode value, AtomOp op, WordType type) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long taken = value.value(t);
            int size = type.type().bytes();
            to.start(t, size, size, (block, address, barrier) -> t.block.inFlight().start(new InFlight.Copy(
                    (shared, at) -> update(shared, at, taken, op, type), block, address, barrier, size, t, pc)));
            return pc + 1;
        }
    }

    private static void update(SharedMemory shared, int address, long value, AtomOp op, WordType type) {
        int size = type.type().bytes();
        shared.set(address, size, AtomicMath.apply(op, type, shared.get(address, size), value, 0, false));
    }
}
