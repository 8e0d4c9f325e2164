package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code mbarrier.pending_count}: how many arrivals were still missing when a token was issued. Inputs, in order:
 * {@code token}. Result: {@code count}.
 */
@About(section = "mbarrier.pending_count", role = StepRole.OTHER,
        summary = "how many arrivals were still missing when a token was issued")
public record MbarrierPendingCount() implements MbarrierInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.pending_count.b64")
                .operand("count", Operand.Kind.U32_OUT).operand("token", Operand.Kind.TOKEN)
                .needs(Gates.AMPERE);
    }
}
