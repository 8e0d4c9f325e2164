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
 * {@code mbarrier.test_wait.parity}: says whether the phase of this parity has completed.
 *
 * @param order what a wait that ends orders, and for whom
 * @param space where the barrier is: generic, or the block's own shared memory
 */
public record MbarrierTestWaitParity(WaitOrder order, Space space) implements MbarrierWait {
    private static final String SECTION = "mbarrier.test_wait / mbarrier.try_wait";

    public MbarrierTestWaitParity {
        Objects.requireNonNull(order, "order");
        Objects.requireNonNull(space, "space");
        Require.space("mbarrier.test_wait.parity", space, Require.OWN_SHARED, SECTION);
    }

    /** In the block's own shared memory, acquiring at CTA scope. */
    public MbarrierTestWaitParity() {
        this(WaitOrder.DEFAULT, Space.SHARED_CTA);
    }

    /** With this order. */
    public MbarrierTestWaitParity withOrder(WaitOrder order) {
        Objects.requireNonNull(order, "order");
        return new MbarrierTestWaitParity(order, space);
    }

    /** For a barrier in this space. */
    public MbarrierTestWaitParity withSpace(Space space) {
        Objects.requireNonNull(space, "space");
        return new MbarrierTestWaitParity(order, space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.test_wait.parity").with(order).with(space).with(".b64")
                .operand(Operands.of("done", Operand.Kind.PREDICATE_OUT)).operand(Operands.source(space, "mbar"))
                .operand(Operands.of("parity", Operand.Kind.U32))
                .needs(Gates.PARITY_TEST.and(order.gate()).and(Gates.of(space)), EffectsBuilder.of(Completion.AT_ONCE,
                        reads("mbar", Proxy.GENERIC, bytes(8))).ordered(order.semantics(), order.scope()));
    }

    @Override
    public String functionName() {
        return "mbarrier_test_wait_parity" + order.suffix() + Ptx.suffix(space);
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }

    @Override
    public String summary() {
        return "says whether the phase of this parity has completed";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
