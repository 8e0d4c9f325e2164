package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code nanosleep}: suspends the thread for about a number of nanoseconds, so that a loop which tests a flag leaves
 * memory and issue slots to others. It orders nothing. Inputs, in order: {@code nanoseconds}.
 */
@About(section = "nanosleep", role = StepRole.OTHER,
        summary = "suspends the thread for about the given nanoseconds: 0 to twice as many, at most a millisecond")
public record Nanosleep() implements WarpInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("nanosleep.u32").operand("nanoseconds", Operand.Kind.U32)
                .needs(Gates.AMPERE);
    }
}
