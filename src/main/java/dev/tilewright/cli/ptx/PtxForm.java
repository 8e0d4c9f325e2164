package dev.tilewright.cli.ptx;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.PtxInstruction;
import java.util.List;

/**
 * A form of the catalogue, as {@code ptx --json} prints it.
 *
 * @param since the oldest PTX version that has it
 * @param needs what admits it: each alternative a version and targets
 * @param evidence how it is known what the reference makes of it on the CPU
 * @param order what it orders, and for which scope; null, and left out, if it orders nothing
 */
record PtxForm(String instruction, String opcode, String operands, String since, String minimumTarget,
        List<String> needs, String completion, List<Access> accesses,
        @JsonInclude(JsonInclude.Include.NON_NULL) String order, boolean emitOnly, String evidence,
        String summary) {

    /** What it does to memory at an operand. */
    record Access(String operand, String mode, String proxy, String extent) { }

    static PtxForm of(PtxInstruction instruction) {
        Form form = instruction.form();
        Effects effects = form.effects();
        return new PtxForm(instruction.getClass().getSimpleName(), form.opcode(), form.listing(),
                form.gate().since().toString(), form.gate().minimumTarget().toString(),
                form.gate().alternatives().stream().map(Object::toString).toList(), effects.completion().toString(),
                effects.accesses().stream().map(a -> new Access(a.operand(), a.mode().toString(), a.proxy().toString(),
                        a.extent().toString())).toList(),
                effects.order().map(o -> o.semantics() + "." + o.scope()).orElse(null), instruction.emitOnly(),
                instruction.evidence().title(),
                instruction.summary());
    }
}
