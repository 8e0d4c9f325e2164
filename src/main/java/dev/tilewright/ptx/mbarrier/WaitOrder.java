package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.form.Gates;

/** What a wait for an mbarrier orders once the phase has completed (PTX ISA, "mbarrier.test_wait"). */
public enum WaitOrder implements Qualifier {
    /** Not written, which means the first of the others. */
    DEFAULT("", Semantics.ACQUIRE, Scope.CTA),
    ACQUIRE_CTA(".acquire.cta", Semantics.ACQUIRE, Scope.CTA),
    ACQUIRE_CLUSTER(".acquire.cluster", Semantics.ACQUIRE, Scope.CLUSTER),
    RELAXED_CTA(".relaxed.cta", Semantics.RELAXED, Scope.CTA),
    RELAXED_CLUSTER(".relaxed.cluster", Semantics.RELAXED, Scope.CLUSTER);

    private final String text;
    private final Semantics semantics;
    private final Scope scope;

    WaitOrder(String text, Semantics semantics, Scope scope) {
        this.text = text;
        this.semantics = semantics;
        this.scope = scope;
    }

    @Override
    public String text() {
        return text;
    }

    Semantics semantics() {
        return semantics;
    }

    Scope scope() {
        return scope;
    }

    Gate gate() {
        return this == DEFAULT ? Gates.AMPERE
                : semantics == Semantics.RELAXED ? Gates.RELAXED_MBARRIER : Gates.MBARRIER_SCOPES.and(Gates.of(scope));
    }

    String suffix() {
        return text.replace('.', '_');
    }
}
