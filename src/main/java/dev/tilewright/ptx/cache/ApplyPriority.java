package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;

/**
 * {@code applypriority}: gives 128 bytes of global memory the normal eviction priority in L2. Inputs, in order:
 * {@code address}.
 *
 * @param explicitSpace whether .global is written; the address is in global memory either way
 */
@About(section = "applypriority", role = StepRole.OTHER,
        summary = "gives 128 bytes of global memory the normal eviction priority in L2")
public record ApplyPriority(boolean explicitSpace) implements CacheInstruction {
    /** At a generic address. */
    public ApplyPriority() {
        this(false);
    }

    /** This form with .global written. */
    public ApplyPriority withExplicitSpace() {
        return new ApplyPriority(true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("applypriority").withIf(explicitSpace, ".global").with(EvictionPriority.EVICT_NORMAL)
                .operand(Operands.source(explicitSpace ? Space.GLOBAL : Space.GENERIC, "address")).literal("128")
                .needs(Gates.CACHE_HINTS);
    }
}
