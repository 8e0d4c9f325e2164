package dev.tilewright.reference.op;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;

/** What is done with registers: assignments, and ordinary loads and stores of several values by one access. */
public final class ValueOps {

    private ValueOps() { }

    /** Every element of a new register takes a value. */
    public record Fill(int slot, int count, IndexCode word) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long value = word.value(t);
            for (int i = slot; i < slot + count; i++) {
                t.slots[i] = value;
            }
            return pc + 1;
        }
    }

    /** An element that an unrolled loop chooses takes a value. */
    public record AssignElement(IndexCode slot, IndexCode word) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long value = word.value(t);
            t.slots[(int) slot.value(t)] = value;
            return pc + 1;
        }
    }

    /** How many of the values are read or written as one word of memory, of 8 bytes at most. */
    private static int together(int count, int size) {
        return Math.min(count, 8 / size);
    }

    /** @param slot of the first element @param count elements */
    public record Load(OpAccess access, IndexCode slot, ValueType type, int count, AddressOperand from) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int size = type.bytes();
            int to = (int) slot.value(t);
            int together = together(count, size);
            switch (from.at(t, count * size, count * size, access)) {
                case ResolvedAddress.InShared(var block, int address) -> {
                    for (int k = 0; k < count; k += together) {
                        unpack(t, to + k, together, block.shared().get(address + k * size, together * size));
                    }
                }
                case ResolvedAddress.InGlobal(var memory, long offset) -> {
                    for (int k = 0; k < count; k += together) {
                        unpack(t, to + k, together, memory.get(offset + (long) k * size, together * size));
                    }
                }
            }
            return pc + 1;
        }

        private void unpack(ThreadState t, int to, int values, long bytes) {
            for (int j = 0; j < values; j++) {
                t.slots[to + j] = type.word(bytes >>> type.bits() * j);
            }
        }
    }

    /** @param size bytes of each value */
    public record Store(OpAccess access, int size, IndexCode[] words, AddressOperand to) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            // The values before the place: an access that is reported is one that happens.
            long[] values = new long[words.length];
            for (int k = 0; k < words.length; k++) {
                values[k] = words[k].value(t);
            }
            int together = together(values.length, size);
            switch (to.at(t, words.length * size, words.length * size, access)) {
                case ResolvedAddress.InShared(var block, int address) -> {
                    for (int k = 0; k < values.length; k += together) {
                        block.shared().set(address + k * size, together * size, packed(values, k, together));
                    }
                }
                case ResolvedAddress.InGlobal g -> {
                    ResolvedAddress.InGlobal place = g.writable();
                    for (int k = 0; k < values.length; k += together) {
                        place.memory().set(place.offset() + (long) k * size, together * size,
                                packed(values, k, together));
                    }
                }
            }
            return pc + 1;
        }

        private long packed(long[] values, int first, int count) {
            long bytes = values[first];
            if (count > 1) {
                long mask = (1L << 8 * size) - 1;
                bytes &= mask;
                for (int j = 1; j < count; j++) {
                    bytes |= (values[first + j] & mask) << 8 * size * j;
                }
            }
            return bytes;
        }
    }
}
