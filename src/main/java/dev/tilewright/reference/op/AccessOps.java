package dev.tilewright.reference.op;

import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.reference.code.ConditionCode;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.math.AtomicMath;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;

/**
 * Loads, stores and updates of one value by instructions with a scope. A value of 32 bits is sign-extended in its slot.
 */
public final class AccessOps {

    private AccessOps() { }

    /** A load or an update, which can also be repeated until its result is what is waited for. */
    public sealed interface Reading {
        /** Performs it and returns the value, or the old one. */
        long perform(ThreadState t, OpAccess access);

        /** The place, with nothing touched. */
        ResolvedAddress place(ThreadState t);
    }

    public record Loading(AddressOperand from, DataType type) implements Reading {
        @Override
        public long perform(ThreadState t, OpAccess access) {
            int bytes = type.bytes();
            return signed(from.at(t, bytes, bytes, access).get(bytes), bytes);
        }

        @Override
        public ResolvedAddress place(ThreadState t) {
            return from.resolve(t, type.bytes(), type.bytes());
        }
    }

    /** @param replacement what compare-and-swap stores over an equal value */
    public record Updating(AddressOperand at, AtomicOp op, DataType type, IndexCode value, IndexCode replacement)
            implements Reading {
        @Override
        public long perform(ThreadState t, OpAccess access) {
            int bytes = type.bytes();
            ResolvedAddress place = at.at(t, bytes, bytes, access);
            long old = place.get(bytes);
            place.set(bytes, AtomicMath.apply(op, type, old, value.value(t), replacement.value(t),
                    place instanceof ResolvedAddress.InGlobal));
            return signed(old, bytes);
        }

        @Override
        public ResolvedAddress place(ThreadState t) {
            return at.resolve(t, type.bytes(), type.bytes());
        }
    }

    public record Load(OpAccess access, Loading loading, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.keep(result, loading.perform(t, access));
            return pc + 1;
        }
    }

    public record Store(OpAccess access, AddressOperand to, DataType type, IndexCode value) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int bytes = type.bytes();
            to.at(t, bytes, bytes, access).set(bytes, value.value(t));
            return pc + 1;
        }
    }

    public record Update(OpAccess access, Updating updating, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.keep(result, updating.perform(t, access));
            return pc + 1;
        }
    }

    /**
     * Reads a value until a condition on it holds.
     *
     * @param access reported of the last read alone: what the others found has no effect
     * @param result slot of the value, which the condition reads
     */
    public record Poll(OpAccess access, Reading reading, int result, ConditionCode condition) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.slots[result] = reading.perform(t, OpAccess.NONE);
            if (condition.holds(t)) {
                t.undefined.read = null;
                access.report(t, reading.place(t), bytes());
                access.decides(t);
                return pc + 1;
            }
            t.status = ThreadState.Status.AT_VALUE;
            return BLOCKED;
        }

        /** Whether a thread that waits here may go on by now; of an update that is only known once it is performed. */
        public boolean mayPass(ThreadState t) {
            if (reading instanceof Updating) {
                return true;
            }
            t.slots[result] = reading.perform(t, OpAccess.NONE);
            return condition.holds(t);
        }

        private int bytes() {
            return switch (reading) {
                case Loading l -> l.type().bytes();
                case Updating u -> u.type().bytes();
            };
        }

        /** Reports what a thread that waits here has before it. */
        public void reportState(ThreadState t) {
            access.stays(t, reading.place(t), bytes(), t.slots[result]);
        }

        /** What a thread that waits here has before it, for people. */
        public String state(ThreadState t) {
            String where = switch (reading.place(t)) {
                case ResolvedAddress.InGlobal(GlobalMemory memory, long offset) ->
                        "byte " + offset + " of '" + memory.name() + "'";
                case ResolvedAddress.InShared(BlockState block, int address) ->
                        "shared address " + address + " of block " + block.index();
            };
            return "the value at " + where + ", which stays " + t.slots[result];
        }
    }

    private static long signed(long bits, int bytes) {
        return bytes == 4 ? (int) bits : bits;
    }
}
