package dev.tilewright.reference.op;

import dev.tilewright.program.expression.Register;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.observe.ExecutionObserver.RegisterRange;
import dev.tilewright.reference.state.ThreadState;
import java.util.List;

/** An operation of a run that is watched which reads or writes registers that products of a warpgroup take. */
public record TouchesRegisters(Op bare, Site site, List<Touch> touches) implements Op {

    /**
     * Elements that are read or written.
     *
     * @param slot of the first @param base slot of the register's first element
     */
    public record Touch(Register register, IndexCode slot, int base, int count, boolean writes) { }

    @Override
    public int run(ThreadState t, int pc) {
        for (Touch touch : touches) {
            int first = (int) touch.slot.value(t) - touch.base;
            site.registers(t, new RegisterRange(touch.register, first, touch.count), touch.writes);
        }
        return bare.run(t, pc);
    }
}
