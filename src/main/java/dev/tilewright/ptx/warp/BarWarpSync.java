package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code bar.warp.sync}: waits until every member of the warp has come, as CUDA's {@code __syncwarp} does; each then
 * sees what the others wrote before. A thread has to be among the members that it names. Inputs, in order:
 * {@code members}.
 */
@About(section = "bar.warp.sync", role = StepRole.SYNC,
        summary = "waits until every member of the warp has arrived, and orders their memory accesses")
public record BarWarpSync() implements WarpInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("bar.warp.sync").operand("members", Operand.Kind.U32)
                .needs(Gates.AMPERE, EffectsBuilder.nothing().ordered(Semantics.ACQ_REL, Scope.CTA));
    }
}
