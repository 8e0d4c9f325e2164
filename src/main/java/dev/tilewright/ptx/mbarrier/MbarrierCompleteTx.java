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
 * {@code mbarrier.complete_tx}: counts bytes as landed, without a copy.
 *
 * @param order what is written about order; both mean relaxed
 * @param space where the barrier is
 */
public record MbarrierCompleteTx(TxOrder order, Space space) implements MbarrierTx {
    private static final String SECTION = "mbarrier.complete_tx";

    public MbarrierCompleteTx {
        Objects.requireNonNull(order, "order");
        Objects.requireNonNull(space, "space");
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
    public Form form() {
        return FormBuilder.form("mbarrier.complete_tx").with(order).with(space).with(".b64")
                .operand(Operands.destination(space, "mbar")).operand(Ptx.BYTES)
                .needs(Gates.HOPPER.and(Gates.of(space)),
                        EffectsBuilder.of(Completion.AT_ONCE, updates("mbar", Proxy.GENERIC, bytes(8)))
                        .ordered(Semantics.RELAXED, order.scope()));
    }

    @Override
    public String functionName() {
        return "mbarrier_complete_tx" + order.suffix() + Ptx.suffix(space);
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
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
