package dev.tilewright.ptx.mbarrier;

import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.form.Gates;

/** What is written on an arrival or a test about order. */
sealed interface MbarrierOrder extends Qualifier permits ArriveOrder, WaitOrder {

    /** How strong it is. */
    Semantics semantics();

    /** For whom. */
    Scope scope();

    /** What the words need. */
    default Gate gate() {
        return text().isEmpty() ? Gates.AMPERE : semantics() == Semantics.RELAXED ? Gates.RELAXED_MBARRIER
                : Gates.MBARRIER_SCOPES.and(Gates.of(scope()));
    }

    /** For the names of functions. */
    default String suffix() {
        return text().replace('.', '_');
    }
}
