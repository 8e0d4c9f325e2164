package dev.tilewright.ptx.cache;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;

/**
 * {@code createpolicy.range}: makes a cache policy that gives accesses to a range of addresses one priority and to its
 * surroundings another. Inputs, in order: {@code start, primary_bytes, total_bytes}. Result: {@code policy}.
 *
 * @param global whether the address is written as one in global memory
 * @param primary the priority of the range
 * @param secondary the priority of what surrounds it
 */
@About(section = "createpolicy", role = StepRole.OTHER,
        summary = "makes a cache policy that gives accesses to a range of addresses one priority and to its"
                + " surroundings another")
public record CreatePolicyRange(
        boolean global, EvictionPriority primary, SecondaryPriority secondary)
        implements CacheInstruction {
    public CreatePolicyRange {
        NotNull.all("primary, secondary", primary, secondary);
    }

    /** At a generic address. */
    public CreatePolicyRange(EvictionPriority primary) {
        this(false, primary, SecondaryPriority.DEFAULT);
    }

    /** This form with .global written. */
    public CreatePolicyRange withGlobal() {
        return new CreatePolicyRange(true, primary, secondary);
    }

    /** This form with a priority for the surroundings of the range. */
    public CreatePolicyRange withSecondary(SecondaryPriority secondary) {
        return new CreatePolicyRange(global, primary, secondary);
    }

    @Override
    public Form form() {
        Space space = global ? Space.GLOBAL : Space.GENERIC;
        return FormBuilder.form("createpolicy.range").with(space).with(primary).with(secondary).with(".b64")
                .operand("policy", Operand.Kind.U64_OUT).operand(Operands.source(space, "start"))
                .operand("primary_bytes", Operand.Kind.U32)
                .operand("total_bytes", Operand.Kind.U32)
                .needs(Gates.CACHE_HINTS);
    }
}
