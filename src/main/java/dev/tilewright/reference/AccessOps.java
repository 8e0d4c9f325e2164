package dev.tilewright.reference;

import dev.tilewright.ptx.WordType;
import dev.tilewright.ptx.memory.AtomOp;

/** Loads, stores and updates of one value by instructions with a scope. A value of 32 bits is sign-extended in its slot. */
final class AccessOps {
    /** In place of a slot, where nobody wants the old value. */
    static final int NO_RESULT = -1;

    private AccessOps() {
    }

    record Load(String purpose, AddressOperand from, WordType type, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.slots[result] = load(t, from, type);
            return pc + 1;
        }
    }

    record Store(String purpose, AddressOperand to, WordType type, IndexCode value) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int bytes = type.type().bytes();
            to.at(t, bytes, bytes).set(bytes, value.value(t));
            return pc + 1;
        }
    }

    /** @param replacement what compare-and-swap puts in the place of an equal value */
    record Update(String purpose, AddressOperand at, AtomOp op, WordType type, IndexCode value, IndexCode replacement, int result)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int bytes = type.type().bytes();
            ResolvedAddress spot = at.at(t, bytes, bytes);
            long old = spot.get(bytes);
            spot.set(bytes, AtomicMath.apply(op, type, old, value.value(t), replacement.value(t), spot instanceof ResolvedAddress.InGlobal));
            if (result != NO_RESULT) {
                t.slots[result] = signed(old, bytes);
            }
            return pc + 1;
        }
    }

    /**
     * Loads a value until a condition on it holds.
     *
     * @param result slot of the value, which the condition reads
     */
    record WaitUntil(String purpose, AddressOperand from, WordType type, int result, ConditionCode condition) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.slots[result] = load(t, from, type);
            if (condition.holds(t)) {
                return pc + 1;
            }
            t.status = ThreadState.Status.AT_VALUE;
            return BLOCKED;
        }

        /** What a thread that waits here has before it, for people. */
        String state(ThreadState t) {
            int bytes = type.type().bytes();
            String where = switch (from.at(t, bytes, bytes)) {
                case ResolvedAddress.InGlobal(GlobalMemory memory, long offset) -> "byte " + offset + " of '" + memory.name() + "'";
                case ResolvedAddress.InShared(BlockState block, int address) -> "shared address " + address + " of block " + block.index();
            };
            return "the value at " + where + ", which stays " + t.slots[result];
        }
    }

    private static long load(ThreadState t, AddressOperand from, WordType type) {
        int bytes = type.type().bytes();
        return signed(from.at(t, bytes, bytes).get(bytes), bytes);
    }

    private static long signed(long bits, int bytes) {
        return bytes == 4 ? (int) bits : bits;
    }
}
