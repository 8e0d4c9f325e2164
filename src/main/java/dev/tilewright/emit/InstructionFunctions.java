package dev.tilewright.emit;

import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The C++ function that wraps one PTX instruction as inline assembly, generated from the instruction's record alone.
 *
 * <p>One result is returned; several are reference parameters, which come first. Predicates, bytes and 128-bit values
 * have no constraint of inline assembly and pass through registers that the assembly declares itself.
 */
public final class InstructionFunctions {
    /** Characters of assembly that fit a line with what precedes them. */
    private static final int LONGEST = LineBreaks.WIDTH - "    asm volatile(\"\"".length();

    private final PtxInstruction form;
    private final List<Operand> results;
    private final List<Operand> inputs;
    /** What must precede and follow the instruction, in the assembly. */
    private final StringBuilder before = new StringBuilder();
    private final StringBuilder after = new StringBuilder();
    private final List<String> slots = new ArrayList<>();

    private InstructionFunctions(PtxInstruction form) {
        this.form = form;
        this.results = form.operands().stream().filter(o -> o.kind().isOutput()).toList();
        this.inputs = form.operands().stream().filter(o -> !o.kind().isOutput()).toList();
    }

    /** The lines of the wrapper: a comment with the plain PTX, what it does and needs, then the function. */
    public static List<String> define(PtxInstruction form) {
        Objects.requireNonNull(form, "form");
        return new InstructionFunctions(form).lines();
    }

    private List<String> lines() {
        boolean returns = results.size() == 1;
        String type = returns ? results.getFirst().kind().cType() : "void";
        Stream<String> references = returns
                ? Stream.empty() : results.stream().map(o -> o.kind().cType() + "& " + o.name());
        String parameters = Stream.concat(references, inputs.stream().map(o -> o.kind().cType() + " " + o.name()))
                .collect(Collectors.joining(", "));
        List<String> lines = new ArrayList<>();
        lines.add("// " + statement(Operand::name));
        lines.add("// " + form.summary() + " (PTX ISA " + form.since() + ", " + form.minimumTarget() + ")");
        lines.add("__device__ __forceinline__ " + type + " " + form.functionName() + "(" + parameters + ") {");
        if (returns) {
            lines.add("    " + type + " " + results.getFirst().name() + ";");
        }
        lines.add("    asm volatile(" + assembly() + ");");
        if (returns) {
            lines.add("    return " + results.getFirst().name() + ";");
        }
        lines.add("}");
        return lines;
    }

    private String assembly() {
        List<String> outs = results.stream().map(o -> "\"" + o.kind().constraint() + "\"(" + o.name() + ")").toList();
        List<String> ins = inputs.stream().flatMap(InstructionFunctions::passed).toList();
        slots.addAll(results.stream().map(Operand::name).toList());
        inputs.forEach(o -> slots.addAll(o.kind() == Operand.Kind.U128 ? List.of(o.name(), "") : List.of(o.name())));
        String text = statement(this::register);
        String whole = before.isEmpty() && after.isEmpty() ? text : "{ " + before + text + after + " }";
        return literal(whole) + " : " + String.join(", ", outs) + (outs.isEmpty() ? ": " : " : ")
                + String.join(", ", ins) + (ins.isEmpty() ? ": " : " : ") + "\"memory\"";
    }

    /** The assembly as a literal, or as two where one would not fit a line. */
    private String literal(String assembly) {
        int operands = assembly.indexOf(form.opcode()) + form.opcode().length() + 1;
        return assembly.length() < LONGEST ? "\"" + assembly + "\""
                : "\"" + assembly.substring(0, operands) + "\" \"" + assembly.substring(operands) + "\"";
    }

    /** How the instruction's text names an operand; notes what has to be done around it. */
    private String register(Operand o) {
        String slot = "%" + slots.indexOf(o.name());
        return switch (o.kind()) {
            case PREDICATE_OUT -> {
                before.append(".reg .pred p; ");
                after.append(" selp.u32 ").append(slot).append(", 1, 0, p;");
                yield "p";
            }
            case PREDICATE -> {
                before.append(".reg .pred p_in; setp.ne.u32 p_in, ").append(slot).append(", 0; ");
                yield "p_in";
            }
            case U8 -> {
                before.append(".reg .b8 b_in; cvt.u8.u32 b_in, ").append(slot).append("; ");
                yield "b_in";
            }
            case U128 -> {
                before.append(".reg .b128 q_in; mov.b128 q_in, {").append(slot).append(", %")
                        .append(slots.indexOf(o.name()) + 1).append("}; ");
                yield "q_in";
            }
            default -> slot;
        };
    }

    private String statement(Function<Operand, String> name) {
        String text = form.operandText();
        for (Operand o : form.operands()) {
            text = text.replace("%" + o.name() + "%", name.apply(o));
        }
        return form.opcode() + (text.isEmpty() ? "" : " " + text) + ";";
    }

    private static Stream<String> passed(Operand o) {
        String constraint = "\"" + o.kind().constraint() + "\"(";
        return o.kind() == Operand.Kind.U128
                ? Stream.of(constraint + o.name() + ".x)", constraint + o.name() + ".y)")
                : Stream.of(constraint + o.name() + ")");
    }
}
