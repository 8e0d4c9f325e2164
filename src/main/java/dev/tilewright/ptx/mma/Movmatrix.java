package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Reordering;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;

/**
 * {@code movmatrix}: a warp transposes an 8 by 8 matrix of 16-bit elements in registers. Lane l holds elements 2 (l mod
 * 4) and the next of row l / 4 before, and the same of the transposed matrix after. Inputs, in order: {@code d, a}.
 */
@About(section = "movmatrix", role = StepRole.OTHER, reordering = Reordering.MEMORY,
        summary = "a warp transposes an 8 by 8 matrix of 16-bit elements in registers")
public record Movmatrix() implements MmaInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("movmatrix.sync.aligned.m8n8.trans.b16")
                .operand(Operands.written("d", Operand.Kind.B32_REGISTERS, 1))
                .operand(Operands.read("a", Operand.Kind.B32_REGISTERS, 1))
                .needs(Gates.MOVMATRIX);
    }
}
