package dev.tilewright.ptx.fence;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code fence}: orders this thread's memory accesses before it and after it, for the threads of a scope.
 *
 * @param strength what it orders
 * @param scope the threads for which it does
 */
@About(section = "membar / fence", role = StepRole.FENCE,
        summary = "orders this thread's memory accesses before it and after it, for the threads of a scope")
public record Fence(Strength strength, Scope scope) implements FenceInstruction {
    public Fence {
        NotNull.all("strength, scope", strength, scope);
    }

    /** The strength of a fence. */
    public enum Strength implements Qualifier {
        /** Not written, which means acquire and release. */
        DEFAULT, SC, ACQ_REL, ACQUIRE, RELEASE
    }

    /** Acquire and release. */
    public Fence(Scope scope) {
        this(Strength.DEFAULT, scope);
    }

    /** Ordering this. */
    public Fence withStrength(Strength strength) {
        return new Fence(strength, scope);
    }

    @Override
    public Form form() {
        boolean oneWay = strength == Strength.ACQUIRE || strength == Strength.RELEASE;
        return FormBuilder.form("fence").with(strength).with(scope)
                .needs((oneWay ? Gates.ONE_WAY_FENCES : Gates.AMPERE).and(Gates.of(scope)),
                        EffectsBuilder.nothing().ordered(strength == Strength.DEFAULT ? Semantics.ACQ_REL
                                : Semantics.valueOf(strength.name()), scope));
    }
}
