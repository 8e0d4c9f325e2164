package dev.tilewright.ptx.fence;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Objects;

/**
 * {@code fence}: orders this thread's memory accesses before it and after it, for the threads of a scope.
 *
 * @param strength what it orders
 * @param scope the threads for which it does
 */
public record Fence(Strength strength, Scope scope) implements FenceInstruction {
    public Fence {
        NotNull.all("strength, scope", strength, scope);
    }

    private static final String SECTION = "membar / fence";

    /** What a fence orders. */
    public enum Strength implements Qualifier {
        /** Not written, which means acquire and release. */
        DEFAULT("", Semantics.ACQ_REL),
        SC(".sc", Semantics.SC),
        ACQ_REL(".acq_rel", Semantics.ACQ_REL),
        ACQUIRE(".acquire", Semantics.ACQUIRE),
        RELEASE(".release", Semantics.RELEASE);

        private final String text;
        private final Semantics semantics;

        Strength(String text, Semantics semantics) {
            this.text = text;
            this.semantics = semantics;
        }

        @Override
        public String text() {
            return text;
        }
    }

    /** Acquire and release. */
    public Fence(Scope scope) {
        this(Strength.DEFAULT, scope);
    }

    /** Ordering this. */
    public Fence withStrength(Strength strength) {
        Objects.requireNonNull(strength, "strength");
        return new Fence(strength, scope);
    }

    @Override
    public Form form() {
        boolean oneWay = strength == Strength.ACQUIRE || strength == Strength.RELEASE;
        return FormBuilder.form("fence").with(strength).with(scope)
                .needs((oneWay ? Gates.ONE_WAY_FENCES : Gates.AMPERE).and(Gates.of(scope)),
                        EffectsBuilder.nothing().ordered(strength.semantics, scope));
    }

    @Override
    public String summary() {
        return "orders this thread's memory accesses before it and after it, for the threads of a scope";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
