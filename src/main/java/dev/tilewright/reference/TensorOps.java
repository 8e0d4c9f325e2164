package dev.tilewright.reference;

import java.lang.foreign.MemorySegment;

/** Tensor copies: everything is checked when one starts, {@link TensorBox} moves the bytes when it lands. */
final class TensorOps {
    private static final int SHARED_ALIGNMENT = 128;

    private TensorOps() {
    }

    record Load(String purpose, SharedPlace to, TensorSource map, IndexCode[] coordinates, BarrierPlace barrier)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            BoundTensor tensor = map.of(t);
            TensorBox box = tensor.box(false);
            int[] at = values(coordinates, t);
            int address = to.address(t, box.sharedBytes(), SHARED_ALIGNMENT);
            tensor.check(at, false);
            MemorySegment memory = tensor.memory();
            t.block.inFlight().start(new InFlight.Copy(
                    tensor.started((shared, place) -> box.loadChecked(memory, at, shared.bytes(), place)),
                    t.block, address, barrier.barrier(t), box.transactionBytes(), t, pc));
            return pc + 1;
        }
    }

    record Store(String purpose, TensorSource map, IndexCode[] coordinates, SharedPlace from) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            BoundTensor tensor = map.of(t);
            TensorBox box = tensor.box(false);
            int[] at = values(coordinates, t);
            int address = from.address(t, box.sharedBytes(), SHARED_ALIGNMENT);
            tensor.check(at, true);
            MemorySegment memory = tensor.memory();
            t.stores.start(tensor.started((shared, place) -> box.storeChecked(memory, at, shared.bytes(), place)),
                    address, box.sharedBytes());
            return pc + 1;
        }
    }

    static int[] values(IndexCode[] coordinates, ThreadState t) {
        int[] at = new int[coordinates.length];
        for (int d = 0; d < at.length; d++) {
            at[d] = (int) coordinates[d].value(t);
        }
        return at;
    }
}
