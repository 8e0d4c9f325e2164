package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;

/**
 * {@code prefetchu}: advises that the line at a generic address be brought into the uniform cache. Inputs, in order:
 * {@code address}.
 */
@About(section = "prefetch / prefetchu", role = StepRole.OTHER,
        summary = "advises that the line at a generic address be brought into the uniform cache")
public record PrefetchUniform() implements CacheInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("prefetchu.L1").operand(Operands.source(Space.GENERIC, "address"))
                .needs(Gates.AMPERE);
    }
}
