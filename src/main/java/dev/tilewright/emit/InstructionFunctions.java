package dev.tilewright.emit;

import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Reordering;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The C++ function that wraps one PTX instruction as inline assembly, generated from the instruction's record alone.
 *
 * <p>One result is returned; several are reference parameters, which come first. Predicates, bytes and 128-bit values
 * have no constraint of inline assembly and pass through registers that the assembly declares itself. Several registers
 * of one operand are a pointer to the first: inlined, with an array whose indices are known, no memory is left of it.
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
    /**
     * Names of the assembly's operands by their numbers; several numbers of one operand have its name first, then none.
     */
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
        String parameters = Stream.concat(references, inputs.stream().map(Operand::parameter))
                .collect(Collectors.joining(", "));
        List<String> lines = new ArrayList<>();
        lines.add("// " + statement(Operand::name));
        lines.add("// " + form.summary() + " (PTX ISA " + form.since() + ", " + form.minimumTarget() + ")");
        lines.add("__device__ __forceinline__ " + type + " " + form.functionName() + "(" + parameters + ") {");
        if (returns) {
            lines.add("    " + type + " " + results.getFirst().name() + ";");
        }
        lines.add("    asm" + (form.reordering() == Reordering.ALL ? "" : " volatile") + "(" + assembly() + ");");
        List<Operand> unnamed = inputs.stream().filter(o -> !isNamed(o)).toList();
        if (!unnamed.isEmpty()) {
            slots.clear();
            lines.add("    // The compiler must not move a use of these registers ahead of the wait.");
            lines.add("    asm volatile(\"\" : " + unnamed.stream().flatMap(this::passed)
                    .collect(Collectors.joining(", ")) + " : : \"memory\");");
        }
        if (returns) {
            lines.add("    return " + results.getFirst().name() + ";");
        }
        lines.add("}");
        return lines;
    }

    /** Whether the instruction's text has it. */
    private boolean isNamed(Operand operand) {
        return form.operandText().contains("%" + operand.name() + "%");
    }

    private String assembly() {
        List<Operand> written = inputs.stream().filter(o -> isNamed(o) && o.access().writes()).toList();
        List<Operand> read = inputs.stream().filter(o -> isNamed(o) && !o.access().writes()).toList();
        List<String> outs = Stream.concat(results.stream(), written.stream()).flatMap(this::passed).toList();
        List<String> ins = read.stream().flatMap(this::passed).toList();
        String text = statement(this::register);
        String whole = before.isEmpty() && after.isEmpty() ? text : "{ " + before + text + after + " }";
        String operands = literal(whole) + " : " + String.join(", ", outs) + (outs.isEmpty() ? ": " : " : ")
                + String.join(", ", ins);
        return form.reordering() != Reordering.NONE ? operands.stripTrailing()
                : operands + (ins.isEmpty() ? ": " : " : ") + "\"memory\"";
    }

    /**
     * The assembly as a literal, or as several where one would not fit a line: up to the opcode's end, then the rest.
     */
    private String literal(String assembly) {
        if (assembly.length() < LONGEST) {
            return "\"" + assembly + "\"";
        }
        int operands = assembly.indexOf(form.opcode()) + form.opcode().length() + 1;
        List<String> parts = new ArrayList<>(List.of(assembly.substring(0, operands)));
        String rest = assembly.substring(operands);
        while (rest.length() >= LONGEST) {
            int at = rest.lastIndexOf(", ", LONGEST - 2) + 2;
            parts.add(rest.substring(0, at));
            rest = rest.substring(at);
        }
        parts.add(rest);
        return parts.stream().map(p -> "\"" + p + "\"").collect(Collectors.joining(" "));
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
            case B32_REGISTERS, S32_REGISTERS, F32_REGISTERS, F64_REGISTERS -> {
                int first = slots.indexOf(o.name());
                yield IntStream.range(first, first + o.count()).mapToObj(i -> "%" + i)
                        .collect(Collectors.joining(", "));
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

    /** What inline assembly is given for an operand; takes its numbers. */
    private Stream<String> passed(Operand o) {
        List<String> values = o.kind() == Operand.Kind.U128 ? List.of(o.name() + ".x", o.name() + ".y")
                : o.kind().isRegisters() ? IntStream.range(0, o.count()).mapToObj(i -> o.name() + "[" + i + "]")
                .toList()
                : List.of(o.name());
        slots.add(o.name());
        slots.addAll(Collections.nCopies(values.size() - 1, ""));
        return values.stream().map(value -> "\"" + o.constraint() + "\"(" + value + ")");
    }
}
