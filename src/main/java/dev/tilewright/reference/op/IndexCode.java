package dev.tilewright.reference.op;

import dev.tilewright.reference.state.ThreadState;

/** An index expression made ready to run: its value for one thread, 32-bit values sign-extended. */
@FunctionalInterface
public interface IndexCode {
    long value(ThreadState thread);

    /** A value that is the same for every thread. */
    record Constant(long value) implements IndexCode {
        @Override
        public long value(ThreadState thread) {
            return value;
        }
    }
}
