package dev.tilewright.reference.state;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;

/** A place in memory that one thread's operand points to; bounds and alignment were checked. */
public sealed interface ResolvedAddress {

    /** In the shared memory of a block of the cluster. */
    record InShared(BlockState block, int address) implements ResolvedAddress {
        @Override
        public long get(int bytes) {
            return block.shared().get(address, bytes);
        }

        @Override
        public void set(int bytes, long value) {
            block.shared().set(address, bytes, value);
        }
    }

    /** In global memory, or where kernel parameters lie. */
    record InGlobal(GlobalMemory memory, long offset) implements ResolvedAddress {
        @Override
        public long get(int bytes) {
            return memory.get(offset, bytes);
        }

        @Override
        public void set(int bytes, long value) {
            writable().memory.set(offset, bytes, value);
        }

        /** This place, which must be one that can be written. */
        public InGlobal writable() {
            if (memory.segment().isReadOnly()) {
                throw new Fault(Kind.OUT_OF_BOUNDS, "'" + memory.name() + "' is written, and its memory is read-only");
            }
            return this;
        }
    }

    /** 1, 2, 4 or 8 bytes, zero-extended. */
    long get(int bytes);

    /** Writes the low 1, 2, 4 or 8 bytes of a value. */
    void set(int bytes, long value);
}
