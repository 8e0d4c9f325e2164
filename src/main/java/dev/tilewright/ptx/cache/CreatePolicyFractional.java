package dev.tilewright.ptx.cache;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code createpolicy.fractional}: makes a cache policy that gives a fraction of accesses one priority and the rest
 * another. Inputs, in order: {@code [fraction]}. Result: {@code policy}.
 *
 * @param primary the priority of the fraction
 * @param secondary the priority of the rest
 * @param fraction whether the fraction follows, above 0 and at most 1; else it is 1
 */
@About(section = "createpolicy", role = StepRole.OTHER,
        summary = "makes a cache policy that gives a fraction of accesses one priority and the rest another")
public record CreatePolicyFractional(
        EvictionPriority primary, SecondaryPriority secondary, boolean fraction)
        implements CacheInstruction {
    public CreatePolicyFractional {
        NotNull.all("primary, secondary", primary, secondary);
    }

    /** For every access. */
    public CreatePolicyFractional(EvictionPriority primary) {
        this(primary, SecondaryPriority.DEFAULT, false);
    }

    /** This form with a priority for the rest. */
    public CreatePolicyFractional withSecondary(SecondaryPriority secondary) {
        return new CreatePolicyFractional(primary, secondary, fraction);
    }

    /** This form with the fraction that gets the primary priority. */
    public CreatePolicyFractional withFraction() {
        return new CreatePolicyFractional(primary, secondary, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("createpolicy.fractional").with(primary).with(secondary).with(".b64")
                .operand("policy", Operand.Kind.U64_OUT)
                .operandIf(fraction, "fraction", Operand.Kind.F32)
                .nameSuffix(fraction, "_of").needs(Gates.CACHE_HINTS);
    }
}
