package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;
import dev.tilewright.ptx.form.Require;
import java.util.List;

/**
 * {@code mbarrier.arrive.expect_tx}: announces bytes that the current phase waits for, then arrives once. Inputs, in
 * order: {@code mbar, bytes}. Result: {@code [token]}.
 *
 * @param kind whether the barrier's later phases expect one arrival less
 * @param order what the arrival orders, and for whom
 * @param space where the barrier is
 * @param result whether the token of the phase is wanted; a barrier of another block gives none
 */
@About(section = "mbarrier.arrive", role = StepRole.ARRIVAL,
        summary = "announces n more bytes for this phase, then arrives once")
public record MbarrierArriveExpectTx(
        ArriveOp kind, ArriveOrder order, Space space, ArriveResult result)
        implements MbarrierArrival {
    public MbarrierArriveExpectTx {
        NotNull.all("kind, order, space, result", kind, order, space, result);
        Require.space("mbarrier." + kind.text() + ".expect_tx", space, Require.ANY_SHARED,
                MbarrierArriveExpectTx.class);
        result.require("mbarrier." + kind.text() + ".expect_tx", space, MbarrierArriveExpectTx.class);
    }

    /** The form for the block's own shared memory that returns the token. */
    public MbarrierArriveExpectTx() {
        this(ArriveOp.ARRIVE, ArriveOrder.DEFAULT, Space.SHARED_CTA, ArriveResult.TOKEN);
    }

    /** Counting for this phase, or for the later ones too. */
    public MbarrierArriveExpectTx withKind(ArriveOp kind) {
        return new MbarrierArriveExpectTx(kind, order, space, result);
    }

    /** This form with a memory order. */
    public MbarrierArriveExpectTx withOrder(ArriveOrder order) {
        return new MbarrierArriveExpectTx(kind, order, space, result);
    }

    /** At a barrier in this space; that of another block hands out no token, so that the sink stands in its place. */
    public MbarrierArriveExpectTx withSpace(Space space) {
        return new MbarrierArriveExpectTx(kind, order, space, result.where(space));
    }

    /** This form with the token of the phase as its result, or the sink. */
    public MbarrierArriveExpectTx withResult(ArriveResult result) {
        return new MbarrierArriveExpectTx(kind, order, space, result);
    }

    @Override
    public Form form() {
        return result.first(FormBuilder.form("mbarrier").with("." + kind.text()).with(".expect_tx").with(order)
                .with(space).with(".b64"))
                .operand(Operands.destination(space, "mbar")).operand("bytes", Operand.Kind.U32)
                .named("mbarrier_" + kind.text() + "_expect_tx" + order.suffix() + Ptx.suffix(space) + result.suffix())
                .needs(Gates.HOPPER.and(order.gate()).and(Gates.of(space)),
                        EffectsBuilder.of(Completion.AT_ONCE, updates("mbar", Proxy.GENERIC, bytes(8)))
                                .ordered(order.semantics(), order.scope()));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }
}
