package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.form.Gates;

/** What is written about order, as the constants' names say it: how strong it is, then for whom. */
sealed interface MbarrierOrder extends Qualifier permits ArriveOrder, TxOrder, WaitOrder {
    /** How strong it is; where nothing is written, as strong as the first that can be. */
    default Semantics semantics() {
        MbarrierOrder meant = text().isEmpty() ? getClass().getEnumConstants()[1] : this;
        return Semantics.valueOf(meant.toString().replaceFirst("_.*", ""));
    }

    /** For whom. */
    default Scope scope() {
        return text().endsWith(".cluster") ? Scope.CLUSTER : Scope.CTA;
    }

    @Override
    default String text() {
        return Qualifier.super.text().replace('_', '.');
    }

    /** The requirements of the qualifiers on an arrival or a test. */
    default Gate gate() {
        return text().isEmpty() ? Gates.AMPERE : semantics() == Semantics.RELAXED ? Gates.RELAXED_MBARRIER
                : Gates.MBARRIER_SCOPES.and(Gates.of(scope()));
    }

    /** For the names of functions. */
    default String suffix() {
        return text().replace('.', '_');
    }
}
