package dev.tilewright.reference.code;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.reference.state.ThreadState;

/**
 * An index expression made ready to run: its value for one thread, 32-bit values sign-extended. The kinds with a name
 * show what they are made of, so that many threads can compute them at once.
 */
@FunctionalInterface
public interface IndexCode {
    long value(ThreadState thread);

    /** Whether it and all its parts are of the kinds with a name. */
    default boolean isTransparent() {
        return false;
    }

    /** A value that is the same for every thread. */
    record Constant(long value) implements IndexCode {
        @Override
        public long value(ThreadState thread) {
            return value;
        }

        @Override
        public boolean isTransparent() {
            return true;
        }
    }

    /** What the thread has in a slot. */
    record Slot(int slot) implements IndexCode {
        @Override
        public long value(ThreadState thread) {
            return thread.slots[slot];
        }

        @Override
        public boolean isTransparent() {
            return true;
        }
    }

    /** The thread's number in its block. */
    record Thread() implements IndexCode {
        @Override
        public long value(ThreadState thread) {
            return thread.index;
        }

        @Override
        public boolean isTransparent() {
            return true;
        }
    }

    /** The block's number in a grid of one dimension. */
    record Block() implements IndexCode {
        @Override
        public long value(ThreadState thread) {
            return thread.block.index();
        }

        @Override
        public boolean isTransparent() {
            return true;
        }
    }

    /** A 32-bit value of a 64-bit one. */
    record Narrowed(IndexCode wide) implements IndexCode {
        @Override
        public long value(ThreadState thread) {
            long v = wide.value(thread);
            if ((int) v != v) {
                throw IndexFault.narrowing(v);
            }
            return v;
        }

        @Override
        public boolean isTransparent() {
            return wide.isTransparent();
        }
    }

    /** One of two values. */
    record Select(ConditionCode condition, IndexCode yes, IndexCode no) implements IndexCode {
        @Override
        public long value(ThreadState thread) {
            return condition.holds(thread) ? yes.value(thread) : no.value(thread);
        }

        @Override
        public boolean isTransparent() {
            return condition.isTransparent() && yes.isTransparent() && no.isTransparent();
        }
    }

    /** Arithmetic on two values; how is for those who extend it, each for one operator, as fast as it can be. */
    abstract class Binary implements IndexCode {
        public final Expr.Op op;
        public final IntType type;
        public final IndexCode left;
        public final IndexCode right;

        protected Binary(Expr.Op op, IntType type, IndexCode left, IndexCode right) {
            this.op = op;
            this.type = type;
            this.left = left;
            this.right = right;
        }

        @Override
        public boolean isTransparent() {
            return left.isTransparent() && right.isTransparent();
        }
    }
}
