package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Reordering;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code activemask}: the lanes that perform this instruction together right now. Which these are is the scheduler's
 * choice: lanes that could have come along may not be among them. Result: {@code lanes}.
 */
@About(section = "activemask", role = StepRole.OTHER, reordering = Reordering.MEMORY,
        summary = "the mask of the lanes that happen to perform it together")
public record Activemask() implements WarpInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("activemask.b32").operand("lanes", Operand.Kind.U32_OUT)
                .needs(Gates.AMPERE);
    }
}
