package dev.tilewright.ptx.mbarrier;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.Require;

/**
 * {@code mbarrier.expect_tx}: announces bytes that the current phase waits for. Inputs, in order: {@code mbar, bytes}.
 *
 * @param order what is written about order; both mean relaxed
 * @param space where the barrier is
 */
@About(section = "mbarrier.expect_tx", role = StepRole.EXPECT, summary = "announces n more bytes for this phase")
public record MbarrierExpectTx(TxOrder order, Space space) implements MbarrierTx {
    public MbarrierExpectTx {
        NotNull.all("order, space", order, space);
        Require.space("mbarrier.expect_tx", space, Require.ANY_SHARED, MbarrierExpectTx.class);
    }

    /** The form for the block's own shared memory, at CTA scope. */
    public MbarrierExpectTx() {
        this(TxOrder.RELAXED_CTA, Space.SHARED_CTA);
    }

    /** This form with a scope. */
    public MbarrierExpectTx withOrder(TxOrder order) {
        return new MbarrierExpectTx(order, space);
    }

    /** At a barrier in this space. */
    public MbarrierExpectTx withSpace(Space space) {
        return new MbarrierExpectTx(order, space);
    }
}
