package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.List;
import java.util.Map;

/**
 * A step that issues an instruction, whose options are still being chosen. Each option puts another form, checked at
 * once, and replaces the one that was added before.
 *
 * @param <F> the instruction
 */
abstract class IssuedStep<F extends PtxInstruction> {
    final Body body;
    private final Map<String, Input> inputs;
    private final int place;
    private F form;
    private List<Expr.Var> results = List.of();

    /** Adds the step. @param inputs by the names of the form's operands; may hold more */
    IssuedStep(Body body, F form, Map<String, Input> inputs) {
        this.body = body;
        this.form = form;
        this.inputs = inputs;
        this.place = body.addAt(operation());
    }

    final F form() {
        return form;
    }

    /** Takes another form. */
    final void revise(F other) {
        form = other;
        body.revise(place, operation());
    }

    /** Remembers what an operand gets that a form has which is still to come. */
    final void give(String operand, Input input) {
        inputs.put(operand, input);
    }

    /** Takes another form, and an operand that it has in addition. */
    final void revise(F other, String operand, Input input) {
        inputs.put(operand, input);
        revise(other);
    }

    /** Names the form's only result. */
    final Expr.Var result(String name) {
        if (form.results().isEmpty()) {
            throw new IllegalArgumentException(form.opcode() + " at another block's barrier gives no token");
        }
        Expr.Var result = body.variable(name, form.results().getFirst().kind().isWide() ? IntType.S64 : IntType.S32);
        results = List.of(result);
        revise(form);
        return result;
    }

    private Operation operation() {
        List<Input> given = form.inputs().stream().map(Operand::name).map(inputs::get).toList();
        return new Operation.Issue(form, given, results);
    }

    /** {@code step of mbarrier.arrive}. */
    @Override
    public String toString() {
        return "step of " + form.opcode();
    }
}
