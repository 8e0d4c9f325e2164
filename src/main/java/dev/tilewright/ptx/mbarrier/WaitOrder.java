package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Scope;

/** What a wait for an mbarrier orders once the phase has completed (PTX ISA, "mbarrier.test_wait"). */
public enum WaitOrder implements MbarrierOrder {
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

    @Override
    public Semantics semantics() {
        return semantics;
    }

    @Override
    public Scope scope() {
        return scope;
    }
}
