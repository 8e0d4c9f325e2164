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
 * {@code mbarrier.try_wait.parity}: says whether the phase of this parity has completed, after waiting for a while.
 *
 * @param order what a wait that ends orders, and for whom
 * @param space where the barrier is: generic, or the block's own shared memory
 * @param timeLimit whether a limit for the suspension follows, in nanoseconds
 */
public record MbarrierTryWaitParity(WaitOrder order, Space space, boolean timeLimit) implements MbarrierWait {
    private static final String SECTION = "mbarrier.test_wait / mbarrier.try_wait";

    public MbarrierTryWaitParity {
        Objects.requireNonNull(order, "order");
        Objects.requireNonNull(space, "space");
        Require.space("mbarrier.try_wait.parity", space, Require.OWN_SHARED, SECTION);
    }

    /** In the block's own shared memory, acquiring at CTA scope. */
    public MbarrierTryWaitParity() {
        this(WaitOrder.DEFAULT, Space.SHARED_CTA, false);
    }

    /** With this order. */
    public MbarrierTryWaitParity withOrder(WaitOrder order) {
        Objects.requireNonNull(order, "order");
        return new MbarrierTryWaitParity(order, space, timeLimit);
    }

    /** For a barrier in this space. */
    public MbarrierTryWaitParity withSpace(Space space) {
        Objects.requireNonNull(space, "space");
        return new MbarrierTryWaitParity(order, space, timeLimit);
    }

    /** With a limit for the suspension, in nanoseconds. */
    public MbarrierTryWaitParity withTimeLimit() {
        return new MbarrierTryWaitParity(order, space, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.try_wait.parity").with(order).with(space).with(".b64")
                .operand(Operands.of("done", Operand.Kind.PREDICATE_OUT)).operand(Operands.source(space, "mbar"))
                .operand(Operands.of("parity", Operand.Kind.U32))
                .operandIf(timeLimit, Operands.of("time_limit", Operand.Kind.U32))
                .needs(Gates.HOPPER_FIRST.and(order.gate()).and(Gates.of(space)), EffectsBuilder.of(Completion.AT_ONCE,
                        reads("mbar", Proxy.GENERIC, bytes(8))).ordered(order.semantics(), order.scope()));
    }

    @Override
    public String functionName() {
        return "mbarrier_try_wait_parity" + order.suffix() + Ptx.suffix(space) + (timeLimit ? "_limited" : "");
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }

    @Override
    public String summary() {
        return "says whether the phase of this parity has completed, after waiting for a while";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
