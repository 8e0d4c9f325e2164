package dev.tilewright.reference.op;

import dev.tilewright.reference.code.SuspectValue;
import dev.tilewright.reference.observe.ExecutionObserver.Reach;
import dev.tilewright.reference.state.ThreadState;
import java.util.List;

/**
 * An operation of a run that is watched for values that come from bytes which nothing has written: what the operation
 * lets such a value decide is reported, and where it moves one, that is kept.
 *
 * @param uses what decides where or how the operation does its work
 * @param after what becomes of values when it is done
 */
public record Watched(Op bare, Site site, List<Use> uses, After after) implements Op {

    /** A value that decides. @param reach what it decides */
    public record Use(SuspectValue value, Reach reach) { }

    /** Follows values through an operation that is done. */
    @FunctionalInterface
    public interface After {
        void done(ThreadState t, Site site);
    }

    @Override
    public int run(ThreadState t, int pc) {
        if (!t.undefined.none()) {
            for (Use use : uses) {
                if (use.value.bits(t) != 0) {
                    site.undefinedReaches(t, use.value.origin(t), use.reach);
                }
            }
        }
        t.undefined.read = null;
        t.undefined.wroteTo = null;
        int next = bare.run(t, pc);
        if (next >= 0) {
            after.done(t, site);
        }
        return next;
    }
}
