package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.Require;
import java.util.Objects;

/**
 * {@code mbarrier.expect_tx}: announces bytes that the current phase waits for. Inputs, in order: {@code mbar, bytes}.
 *
 * @param order what is written about order; both mean relaxed
 * @param space where the barrier is
 */
public record MbarrierExpectTx(TxOrder order, Space space) implements MbarrierTx {
    private static final String SECTION = "mbarrier.expect_tx";

    public MbarrierExpectTx {
        NotNull.all("order, space", order, space);
        Require.space("mbarrier.expect_tx", space, Require.ANY_SHARED, SECTION);
    }

    /** In the block's own shared memory, at CTA scope. */
    public MbarrierExpectTx() {
        this(TxOrder.RELAXED_CTA, Space.SHARED_CTA);
    }

    /** With this scope. */
    public MbarrierExpectTx withOrder(TxOrder order) {
        Objects.requireNonNull(order, "order");
        return new MbarrierExpectTx(order, space);
    }

    /** At a barrier in this space. */
    public MbarrierExpectTx withSpace(Space space) {
        Objects.requireNonNull(space, "space");
        return new MbarrierExpectTx(order, space);
    }

    @Override
    public String summary() {
        return "announces n more bytes for this phase";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
