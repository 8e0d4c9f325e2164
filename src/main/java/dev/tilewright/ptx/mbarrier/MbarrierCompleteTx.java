package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.Require;
import java.util.Objects;

/**
 * {@code mbarrier.complete_tx}: counts bytes as landed, without a copy. Inputs, in order: {@code mbar, bytes}.
 *
 * @param order what is written about order; both mean relaxed
 * @param space where the barrier is
 */
public record MbarrierCompleteTx(TxOrder order, Space space) implements MbarrierTx {
    private static final String SECTION = "mbarrier.complete_tx";

    public MbarrierCompleteTx {
        NotNull.all("order, space", order, space);
        Require.space("mbarrier.complete_tx", space, Require.ANY_SHARED, SECTION);
    }

    /** In the block's own shared memory, at CTA scope. */
    public MbarrierCompleteTx() {
        this(TxOrder.RELAXED_CTA, Space.SHARED_CTA);
    }

    /** With this scope. */
    public MbarrierCompleteTx withOrder(TxOrder order) {
        Objects.requireNonNull(order, "order");
        return new MbarrierCompleteTx(order, space);
    }

    /** At a barrier in this space. */
    public MbarrierCompleteTx withSpace(Space space) {
        Objects.requireNonNull(space, "space");
        return new MbarrierCompleteTx(order, space);
    }

    @Override
    public String summary() {
        return "counts bytes as landed, without a copy";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
