package dev.tilewright.reference.op;

import dev.tilewright.reference.code.SuspectValue;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState;

/**
 * A variable that takes a value computed from bytes which nothing may have written: where it is, what does not fit the
 * variable's type is no fault, since such a value may still be dropped.
 */
public record SuspectLet(ControlOps.Let bare, SuspectValue value) implements Op {
    @Override
    public int run(ThreadState t, int pc) {
        try {
            return bare.run(t, pc);
        } catch (Fault f) {
            if (f.kind() != Kind.ARITHMETIC || value.bits(t) == 0) {
                throw f;
            }
            t.keep(bare.slot(), 0);
            return pc + 1;
        }
    }
}
