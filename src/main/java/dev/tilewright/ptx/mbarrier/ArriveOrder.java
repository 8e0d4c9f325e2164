package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Scope;

/** What an arrival at an mbarrier orders, and for whom (PTX ISA, "mbarrier.arrive"). */
public enum ArriveOrder implements MbarrierOrder {
    /** Not written, which means the first of the others. */
    DEFAULT("", Semantics.RELEASE, Scope.CTA),
    RELEASE_CTA(".release.cta", Semantics.RELEASE, Scope.CTA),
    RELEASE_CLUSTER(".release.cluster", Semantics.RELEASE, Scope.CLUSTER),
    RELAXED_CTA(".relaxed.cta", Semantics.RELAXED, Scope.CTA),
    RELAXED_CLUSTER(".relaxed.cluster", Semantics.RELAXED, Scope.CLUSTER);

    private final String text;
    private final Semantics semantics;
    private final Scope scope;

    ArriveOrder(String text, Semantics semantics, Scope scope) {
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
