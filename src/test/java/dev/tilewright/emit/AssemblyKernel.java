package dev.tilewright.emit;

import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * CUDA C++ with one kernel that performs many instruction forms through the functions that the emitter generates, so
 * that one compilation assembles them all. Nothing of it is meant to run.
 *
 * <p>Every input comes from memory: an mbarrier token straight from a kernel parameter crashes ptxas 13.0 for sm_80.
 */
final class AssemblyKernel {
    static final String NAME = "every_form";

    private AssemblyKernel() {
    }

    static String of(List<PtxInstruction> forms) {
        StringBuilder text = new StringBuilder();
        for (PtxInstruction form : forms) {
            InstructionFunctions.define(form).forEach(line -> text.append(line).append('\n'));
        }
        text.append("extern \"C\" __global__ void __launch_bounds__(128) " + NAME + "(volatile unsigned* words, "
                + "volatile unsigned long long* longs, void* pointer) {\n");
        for (PtxInstruction form : forms) {
            text.append("    ").append(call(form)).append('\n');
        }
        return text.append("}\n").toString();
    }

    private static String call(PtxInstruction form) {
        List<Operand> results = form.operands().stream().filter(o -> o.kind().isOutput()).toList();
        String inputs = form.inputs().stream().map(AssemblyKernel::input).collect(Collectors.joining(", "));
        List<Operand> registers = form.inputs().stream().filter(o -> o.kind().isRegisters()).toList();
        if (!registers.isEmpty()) {
            return registers(registers, form.functionName() + "(" + inputs + ");");
        }
        if (results.isEmpty()) {
            return form.functionName() + "(" + inputs + ");";
        }
        if (results.size() == 1) {
            return store(results.getFirst(), form.functionName() + "(" + inputs + ")");
        }
        List<String> parts = new ArrayList<>();
        results.forEach(r -> parts.add(r.kind().cType() + " " + r.name() + ";"));
        parts.add(form.functionName() + "(" + results.stream().map(Operand::name).collect(Collectors.joining(", "))
                + ", " + inputs + ");");
        results.forEach(r -> parts.add(store(r, r.name())));
        return "{ " + String.join(" ", parts) + " }";
    }

    /**
     * An array of its own for every operand, filled from memory; the first element of one that is written is stored.
     */
    private static String registers(List<Operand> operands, String call) {
        List<String> parts = new ArrayList<>(List.of("const unsigned w = words[0];"));
        for (Operand o : operands) {
            parts.add(o.kind().cType() + " " + o.name() + "[" + o.count() + "];");
            if (o.access().reads()) {
                parts.add("for (int i = 0; i < " + o.count() + "; ++i) " + o.name() + "[i] = w;");
            }
        }
        parts.add(call);
        operands.stream().filter(o -> o.access().writes()).findFirst().ifPresent(o -> parts.add("words[1] = "
                + o.name() + "[0];"));
        return "{ " + String.join(" ", parts) + " }";
    }

    private static String store(Operand result, String value) {
        return switch (result.kind()) {
            case F32_OUT -> "words[1] = __float_as_int(" + value + ");";
            case F64_OUT -> "longs[1] = __double_as_longlong(" + value + ");";
            default -> (result.kind().isWide() ? "longs[1] = " : "words[1] = ") + value + ";";
        };
    }

    private static String input(Operand operand) {
        if (operand.kind().isRegisters()) {
            return operand.name();
        }
        return switch (operand.kind().cType()) {
            case "const void*", "void*" -> "pointer";
            case "unsigned long long" -> "longs[0]";
            case "ulonglong2" -> "make_ulonglong2(longs[0], longs[1])";
            case "float" -> "__int_as_float(words[0])";
            case "double" -> "__longlong_as_double(longs[0])";
            default -> "words[0]";
        };
    }
}
