package dev.tilewright.reference.op;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState;

/**
 * An instruction that the reference does not run, such as one that only sm_100 and later have. A thread that comes to
 * it ends the run; where no thread does, it is of no matter.
 *
 * @param why it is not run, for people
 */
public record NotRun(String why) implements Op {
    @Override
    public int run(ThreadState t, int pc) {
        throw new Fault(Kind.NOT_MODELLED, why);
    }
}
