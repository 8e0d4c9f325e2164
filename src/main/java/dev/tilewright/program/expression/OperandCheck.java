package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.List;

/** Whether the inputs and results of an instruction fit what its record says. */
public final class OperandCheck {
    private OperandCheck() { }

    /** Refuses operands that do not. */
    public static void check(PtxInstruction form, List<Input> inputs, List<Expr.Var> results) {
        NotNull.all("form, inputs, results", form, inputs, results);
        List<Operand> wanted = form.inputs();
        List<Operand> given = results.isEmpty() ? List.of() : form.results();
        requireCount(form, "inputs", wanted, inputs.size());
        requireCount(form, "results", given, results.size());
        for (int i = 0; i < wanted.size(); i++) {
            try {
                inputs.get(i).requireFits(wanted.get(i));
                requireWritable(form, wanted.get(i), inputs.get(i));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(form.opcode() + ": " + e.getMessage(), e);
            }
        }
        for (int i = 0; i < given.size(); i++) {
            IntType type = given.get(i).kind().isWide() ? IntType.S64 : IntType.S32;
            if (results.get(i).type() != type) {
                throw new IllegalArgumentException(form.opcode() + ": result '" + given.get(i).name() + "' has type "
                        + type + ", variable '" + results.get(i).name() + "' has type " + results.get(i).type());
            }
        }
    }

    private static void requireCount(PtxInstruction form, String what, List<Operand> wanted, int given) {
        if (wanted.size() != given) {
            throw new IllegalArgumentException(form.opcode() + " has " + wanted.size() + " " + what + " "
                    + wanted.stream().map(Operand::name).toList() + ", got " + given);
        }
    }

    /** Refuses a write, as the record tells it, through a pointer that is declared read-only. */
    private static void requireWritable(PtxInstruction form, Operand operand, Input input) {
        boolean writes = form.effects().accesses().stream()
                .anyMatch(a -> a.operand().equals(operand.name()) && a.mode() != Effects.Mode.READ);
        if (writes && operand.kind() != Operand.Kind.TENSOR_MAP && input instanceof Input.Place(Address address)) {
            address.requireWritable();
        }
    }
}
