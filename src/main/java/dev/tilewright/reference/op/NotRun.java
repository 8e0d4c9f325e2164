package dev.tilewright.reference.op;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState;

/**
 * An instruction that the reference does not run, such as one that only sm_100 and later have. A thread that reaches
 * it ends the run; if no thread does, it has no effect.
 *
 * @param why it is not run, for people
 */
public record NotRun(String why) implements Op {
    @Override
    public int run(ThreadState t, int pc) {
        throw new Fault(Kind.NOT_MODELLED, why);
    }
}
