package dev.tilewright.ptx.mbarrier;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.Require;

/**
 * {@code mbarrier.complete_tx}: counts bytes as landed, without a copy. Inputs, in order: {@code mbar, bytes}.
 *
 * @param order what is written about order; both mean relaxed
 * @param space where the barrier is
 */
@About(section = "mbarrier.complete_tx", role = StepRole.EXPECT, summary = "counts bytes as landed, without a copy")
public record MbarrierCompleteTx(TxOrder order, Space space) implements MbarrierTx {
    public MbarrierCompleteTx {
        NotNull.all("order, space", order, space);
        Require.space("mbarrier.complete_tx", space, Require.ANY_SHARED, MbarrierCompleteTx.class);
    }

    /** The form for the block's own shared memory, at CTA scope. */
    public MbarrierCompleteTx() {
        this(TxOrder.RELAXED_CTA, Space.SHARED_CTA);
    }

    /** This form with a scope. */
    public MbarrierCompleteTx withOrder(TxOrder order) {
        return new MbarrierCompleteTx(order, space);
    }

    /** At a barrier in this space. */
    public MbarrierCompleteTx withSpace(Space space) {
        return new MbarrierCompleteTx(order, space);
    }
}
