package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;

import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;
import dev.tilewright.ptx.form.Require;
import java.util.List;
import java.util.Objects;

/**
 * {@code mbarrier.expect_tx}: announces bytes that the current phase waits for.
 *
 * @param order what is written about order; both mean relaxed
 * @param space where the barrier is
 */
public record MbarrierExpectTx(TxOrder order, Space space) implements MbarrierTx {
    private static final String SECTION = "mbarrier.expect_tx";

    public MbarrierExpectTx {
        Objects.requireNonNull(order, "order");
        Objects.requireNonNull(space, "space");
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
    public Form form() {
        return FormBuilder.form("mbarrier.expect_tx").with(order).with(space).with(".b64")
                .operand(Operands.destination(space, "mbar")).operand(Ptx.BYTES)
                .needs(Gates.HOPPER.and(Gates.of(space)),
                        EffectsBuilder.of(Completion.AT_ONCE, updates("mbar", Proxy.GENERIC, bytes(8)))
                        .ordered(Semantics.RELAXED, order.scope()));
    }

    @Override
    public String functionName() {
        return "mbarrier_expect_tx" + order.suffix() + Ptx.suffix(space);
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
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
