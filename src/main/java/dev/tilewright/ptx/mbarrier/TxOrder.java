package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;

/**
 * What is written about the order of expect_tx and complete_tx, which is always relaxed (PTX ISA,
 * "mbarrier.expect_tx").
 */
public enum TxOrder implements Qualifier {
    /** Not written, which means CTA scope. */
    DEFAULT(""),
    RELAXED_CTA(".relaxed.cta"),
    RELAXED_CLUSTER(".relaxed.cluster");

    private final String text;

    TxOrder(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }

    Scope scope() {
        return this == RELAXED_CLUSTER ? Scope.CLUSTER : Scope.CTA;
    }

    String suffix() {
        return text.replace('.', '_');
    }
}
