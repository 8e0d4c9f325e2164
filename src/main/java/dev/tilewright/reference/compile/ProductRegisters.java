package dev.tilewright.reference.compile;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.op.Site;
import dev.tilewright.reference.op.TouchesRegisters.Touch;
import dev.tilewright.reference.op.TouchesRegisters;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The registers that products of a warpgroup take, of which every other use is reported in a run that is watched. */
final class ProductRegisters {
    private final Set<Register> taken = new HashSet<>();
    private final ValueCompiler values;

    ProductRegisters(StepNumbers steps, ValueCompiler values) {
        this.values = values;
        for (Step step : steps.all()) {
            if (step.operation() instanceof Operation.Issue issue && issue.form() instanceof Wgmma) {
                for (Input input : issue.inputs()) {
                    if (input instanceof Input.Registers(Register register, Expr _)) {
                        taken.add(register);
                    }
                }
            }
        }
    }

    /** The operation of a step that has no steps within, as it is reported; the same where there is nothing to tell. */
    Op reported(Operation operation, Site site, Op op) {
        // What a wait for products names, no instruction touches there.
        if (taken.isEmpty() || operation instanceof Operation.Issue issue && (issue.form() instanceof Wgmma
                || issue.form() instanceof WgmmaWaitGroup)) {
            return op;
        }
        List<Touch> touches = new ArrayList<>();
        Stream<Value> values = !(operation instanceof Operation.Issue issue) ? operation.parts()
                : issue.inputs().stream().filter(input -> !(input instanceof Input.Registers)).flatMap(Input::parts);
        values.forEach(value -> ValueSearch.any(value, v -> {
            if (v instanceof Value.Element(Register register, Expr index)) {
                touch(register, index, 1, false, touches);
            }
            return false;
        }));
        switch (operation) {
            case Operation.Declare(Register register, var initial, boolean _) when initial.isPresent() ->
                    touch(register, Expr.of(0), register.count(), true, touches);
            case Operation.Issue issue -> {
                List<Operand> operands = issue.form().inputs();
                for (int i = 0; i < operands.size(); i++) {
                    if (issue.inputs().get(i) instanceof Input.Registers(Register register, Expr first)) {
                        touch(register, first, operands.get(i).count(),
                                operands.get(i).access() != Operand.Access.READ, touches);
                    }
                }
            }
            default -> operation.changes().forEach(part ->
                    touch(part.register(), part.first(), part.count(), true, touches));
        }
        return touches.isEmpty() ? op : new TouchesRegisters(op, site, touches);
    }

    private void touch(Register register, Expr index, int count, boolean writes, List<Touch> to) {
        if (taken.contains(register)) {
            to.add(new Touch(register, values.slot(register, index, count), values.firstSlot(register), count, writes));
        }
    }
}
