package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/** Bulk copies of contiguous bytes, and the bulk groups that tensor stores belong to as well. */
final class BulkOps {
    private static final int ALIGNMENT = 16;

    private BulkOps() {
    }

    record Load(String purpose, SharedPlace to, GlobalPlace from, IndexCode bytes, BarrierPlace barrier) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = requireSize(bytes.value(t));
            int address = to.address(t, count, ALIGNMENT);
            long offset = from.offset(t, count, ALIGNMENT);
            GlobalMemory memory = from.memory();
            t.block.inFlight().start(new InFlight.Copy((shared, at) -> memory.copyTo(offset, shared, at, count),
                    t.block, address, barrier.barrier(t), count, t, pc));
            return pc + 1;
        }
    }

    record Store(String purpose, GlobalPlace to, SharedPlace from, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int count = requireSize(bytes.value(t));
            int address = from.address(t, count, ALIGNMENT);
            long offset = to.offset(t, count, ALIGNMENT);
            GlobalMemory memory = to.memory();
            t.stores.start((shared, at) -> memory.copyFrom(offset, shared, at, count), address, count);
            return pc + 1;
        }
    }

    record Commit(String purpose) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.stores.commit();
            return pc + 1;
        }
    }

    /** @param read whether it is enough that the sources have been read */
    record Wait(String purpose, int pending, boolean read) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (read) {
                t.stores.waitForRead(pending);
            } else {
                t.stores.waitFor(pending);
            }
            return pc + 1;
        }
    }

    static int requireSize(long bytes) {
        if (bytes <= 0 || bytes % ALIGNMENT != 0) {
            throw new Fault(Kind.BAD_SIZE,
                    "a bulk copy moves a multiple of " + ALIGNMENT + " bytes and at least " + ALIGNMENT + ", got " + bytes);
        }
        return (int) bytes;
    }
}
