package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;

import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
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
 * {@code mbarrier.test_wait}: says whether the phase that the token names has completed.
 *
 * @param order what a wait that ends orders, and for whom
 * @param space where the barrier is: generic, or the block's own shared memory
 */
public record MbarrierTestWait(WaitOrder order, Space space) implements MbarrierWait {
    private static final String SECTION = "mbarrier.test_wait / mbarrier.try_wait";

    public MbarrierTestWait {
        Objects.requireNonNull(order, "order");
        Objects.requireNonNull(space, "space");
        Require.space("mbarrier.test_wait", space, Require.OWN_SHARED, SECTION);
    }

    /** In the block's own shared memory, acquiring at CTA scope. */
    public MbarrierTestWait() {
        this(WaitOrder.DEFAULT, Space.SHARED_CTA);
    }

    /** With this order. */
    public MbarrierTestWait withOrder(WaitOrder order) {
        Objects.requireNonNull(order, "order");
        return new MbarrierTestWait(order, space);
    }

    /** For a barrier in this space. */
    public MbarrierTestWait withSpace(Space space) {
        Objects.requireNonNull(space, "space");
        return new MbarrierTestWait(order, space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.test_wait").with(order).with(space).with(".b64")
                .operand(Operands.of("done", Operand.Kind.PREDICATE_OUT)).operand(Operands.source(space, "mbar"))
                .operand(Operands.of("token", Operand.Kind.TOKEN))
                .needs(Gates.AMPERE.and(order.gate()).and(Gates.of(space)), EffectsBuilder.of(Completion.AT_ONCE,
                        reads("mbar", Proxy.GENERIC, bytes(8))).ordered(order.semantics(), order.scope()));
    }

    @Override
    public String functionName() {
        return "mbarrier_test_wait" + order.suffix() + Ptx.suffix(space);
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }

    @Override
    public String summary() {
        return "says whether the phase that the token names has completed";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
