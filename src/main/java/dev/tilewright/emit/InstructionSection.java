package dev.tilewright.emit;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The part of a source with one function for each PTX instruction form, and one for each that is waited with. */
final class InstructionSection {
    /** The namespace of the functions, with what stands between it and a function's name. */
    static final String NAMESPACE = "ptx::";

    private final EmitOptions options;
    private final CodeWriter out;
    /** The forms in order of first use, and those among them that a step polls until they say that they are done. */
    private final Set<PtxInstruction> forms = new LinkedHashSet<>();
    private final Set<PtxInstruction> waits = new LinkedHashSet<>();
    private final Set<HiddenNumber> hidden = new TreeSet<>();

    InstructionSection(StepNumbers steps, EmitOptions options, CodeWriter out) {
        this.options = options;
        this.out = out;
        for (Step step : steps.all()) {
            if (step.operation() instanceof Operation.Instruction i) {
                PtxInstruction form = options.spell(i.form());
                forms.add(form);
                for (int k = 0; k < i.inputs().size(); k++) {
                    HiddenNumber.of(form, form.inputs().get(k), i.inputs().get(k)).ifPresent(hidden::add);
                }
                if (i instanceof Operation.Poll(var _, var _, Operation.Until.Done())) {
                    waits.add(form);
                }
            }
        }
    }

    void write() {
        if (forms.isEmpty()) {
            return;
        }
        out.line("namespace ptx {").line("");
        out.line("// The 32-bit address by which PTX instructions refer to shared memory.");
        out.block("__device__ __forceinline__ unsigned shared_address(const void* pointer)",
                () -> out.line("return (unsigned)__cvta_generic_to_shared(pointer);"));
        out.line("");
        hidden.forEach(h -> h.write(out));
        for (PtxInstruction form : forms) {
            InstructionFunctions.define(form).forEach(out::line);
            out.line("");
            if (waits.contains(form)) {
                waitFor(form);
            }
        }
        out.line("}  // namespace ptx").line("");
    }

    private void waitFor(PtxInstruction form) {
        List<Operand> inputs = form.inputs();
        String parameters = inputs.stream().map(Operand::parameter)
                .collect(Collectors.joining(", "));
        String done = form.functionName() + "(" + inputs.stream().map(Operand::name).collect(Collectors.joining(", "))
                + ")";
        boolean bounded = options.pollLimit() > 0;
        out.line("// Waits until the phase has completed" + (bounded ? ", or stops the kernel." : "."));
        out.block("__device__ __forceinline__ void " + waitFunction(form) + "(" + parameters + ")", () -> {
            if (bounded) {
                out.block("for (unsigned polls = 0; !" + done + "; ++polls)", () ->
                        out.line("if (polls == " + options.pollLimit() + "u) __trap();"));
            } else {
                out.line("while (!" + done + ") {}");
            }
        });
        out.line("");
    }

    /** The name of the function that waits with a form, unique among all forms that can be waited with. */
    static String waitFunction(PtxInstruction form) {
        String name = form.functionName();
        return name.contains("_try_") ? name.replace("_try_", "_") : name + "_until_done";
    }
}
