package dev.tilewright.emit;

import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The C++ function that wraps one PTX instruction as inline assembly, generated from the instruction's record alone. */
final class InstructionFunctions {

    private InstructionFunctions() {
    }

    /** The lines of the wrapper: a comment with the plain PTX, what it does and needs, then the function. */
    static List<String> define(PtxInstruction form) {
        Optional<Operand> result = form.operands().stream().filter(o -> o.kind().isOutput()).findFirst();
        List<Operand> inputs = form.operands().stream().filter(o -> !o.kind().isOutput()).toList();
        String type = result.map(o -> o.kind().cType()).orElse("void");
        String parameters = inputs.stream().map(o -> o.kind().cType() + " " + o.name()).collect(Collectors.joining(", "));
        List<String> lines = new ArrayList<>();
        lines.add("// " + statement(form, o -> o.name()));
        lines.add("// " + form.summary() + " (PTX ISA " + form.since() + ", " + form.minimumTarget() + ")");
        lines.add("__device__ __forceinline__ " + type + " " + form.functionName() + "(" + parameters + ") {");
        result.ifPresent(o -> lines.add("    " + type + " " + o.name() + ";"));
        lines.add("    asm volatile(" + assembly(form, result) + operands(result, inputs) + ");");
        result.ifPresent(o -> lines.add("    return " + o.name() + ";"));
        lines.add("}");
        return lines;
    }

    private static String assembly(PtxInstruction form, Optional<Operand> result) {
        List<Operand> order = new ArrayList<>(result.stream().toList());
        form.operands().stream().filter(o -> !o.kind().isOutput()).forEach(order::add);
        boolean predicate = result.isPresent() && result.get().kind() == Operand.Kind.PREDICATE_OUT;
        String text = statement(form, o -> predicate && o.kind().isOutput() ? "p" : "%" + order.indexOf(o));
        return predicate
                ? "\"{ .reg .pred p; " + text + " selp.u32 %0, 1, 0, p; }\""
                : "\"" + text + "\"";
    }

    private static String statement(PtxInstruction form, java.util.function.Function<Operand, String> name) {
        String text = form.operandText();
        for (Operand o : form.operands()) {
            text = text.replace("%" + o.name() + "%", name.apply(o));
        }
        return form.opcode() + (text.isEmpty() ? "" : " " + text) + ";";
    }

    private static String operands(Optional<Operand> result, List<Operand> inputs) {
        String outs = result.map(InstructionFunctions::constraint).orElse("");
        String ins = inputs.stream().map(InstructionFunctions::constraint).collect(Collectors.joining(", "));
        return " : " + outs + (outs.isEmpty() ? ": " : " : ") + ins + (ins.isEmpty() ? ": " : " : ") + "\"memory\"";
    }

    private static String constraint(Operand o) {
        return "\"" + o.kind().constraint() + "\"(" + o.name() + ")";
    }
}
