package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/**
 * An operation that tells a {@link ExecutionObserver} what it does.
 *
 * @param before what is told before it is performed, also by a wait that does not pass
 * @param after what is told of how it went
 */
record WatchedOp(Op plain, int step, ExecutionObserver watch, Before before, After after) implements Op {

    @FunctionalInterface
    interface Before {
        Before NOTHING = _ -> { };

        void tell(ThreadState t);
    }

    @FunctionalInterface
    interface After {
        After NOTHING = (_, _, _) -> { };

        /** @param pc the operation's number @param next what it answered: see {@link Op#run} */
        void tell(ThreadState t, int pc, int next);
    }

    @Override
    public String purpose() {
        return plain.purpose();
    }

    @Override
    public int run(ThreadState t, int pc) {
        try {
            if (before != Before.NOTHING) {
                before.tell(t);
            }
            int next = plain.run(t, pc);
            if (after != After.NOTHING) {
                after.tell(t, pc, next);
            }
            return next;
        } catch (Fault f) {
            watch.fault(t.block.index(), t.index, step, f.kind(), f.getMessage());
            throw f;
        } catch (ArithmeticException e) {
            watch.fault(t.block.index(), t.index, step, Kind.ARITHMETIC, "an address does not fit 64 bits: " + e.getMessage());
            throw e;
        }
    }
}
