package dev.tilewright.reference.compile;

import dev.tilewright.program.Expr;
import dev.tilewright.program.Input;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Register;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.op.IndexCode;
import dev.tilewright.reference.op.Watched.After;
import dev.tilewright.reference.state.ThreadState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What becomes of registers that an instruction works on: what it writes is defined afterwards in each lane, unless
 * something of what the lane gave to it is not. What it updates it reads too, but where it is told to start from nothing.
 */
final class RegisterFlow {
    /** The operand that says whether a product is added to what was there. */
    private static final String SCALE_D = "scale_d";
    private static final int WARP = 32;
    private static final int WARPGROUP = 128;

    /** Neighbouring slots of one operand. */
    private record Range(IndexCode first, int count) {
        UnwrittenRead undefined(ThreadState t) {
            int at = (int) first.value(t);
            for (int i = at; i < at + count; i++) {
                if (t.undefined.bits(i) != 0) {
                    return t.undefined.origin(i);
                }
            }
            return null;
        }

        void set(ThreadState t, UnwrittenRead origin) {
            int at = (int) first.value(t);
            for (int i = at; i < at + count; i++) {
                t.undefined.set(i, origin == null ? 0 : -1, origin);
            }
        }
    }

    private final List<Range> read = new ArrayList<>();
    private final List<Range> updated = new ArrayList<>();
    private final List<Range> written = new ArrayList<>();
    private IndexCode scaleD;

    private RegisterFlow() {
    }

    /** @param suspects takes the registers that may be undefined from now on */
    static After of(Operation.Issue issue, ValueCompiler values, ExprCompiler expressions, Set<Object> suspects) {
        RegisterFlow flow = new RegisterFlow();
        List<Operand> operands = issue.form().inputs();
        for (int i = 0; i < operands.size(); i++) {
            Operand operand = operands.get(i);
            switch (issue.inputs().get(i)) {
                case Input.Registers(Register register, Expr first) -> {
                    flow.add(operand.access(), new Range(values.slot(register, first, operand.count()), operand.count()));
                    suspects.add(register);
                }
                case Input.Number(Expr e) when operand.name().equals(SCALE_D) -> flow.scaleD = expressions.index(e);
                default -> { }
            }
        }
        int lanes = issue.form() instanceof Wgmma ? WARPGROUP : WARP;
        return (t, _) -> {
            ThreadState[] threads = t.block.threads();
            int first = t.index & -lanes;
            for (int i = first; i < Math.min(threads.length, first + lanes); i++) {
                flow.done(threads[i]);
            }
        };
    }

    private void add(Operand.Access access, Range range) {
        switch (access) {
            case READ -> read.add(range);
            case WRITE -> written.add(range);
            case UPDATE -> updated.add(range);
        }
    }

    private void done(ThreadState t) {
        if (t.undefined.none()) {
            return;
        }
        UnwrittenRead origin = firstUndefined(read, t);
        if (origin == null && (scaleD == null || scaleD.value(t) != 0)) {
            origin = firstUndefined(updated, t);
        }
        for (Range range : written) {
            range.set(t, origin);
        }
        for (Range range : updated) {
            range.set(t, origin);
        }
    }

    private static UnwrittenRead firstUndefined(List<Range> ranges, ThreadState t) {
        for (Range range : ranges) {
            UnwrittenRead origin = range.undefined(t);
            if (origin != null) {
                return origin;
            }
        }
        return null;
    }
}
