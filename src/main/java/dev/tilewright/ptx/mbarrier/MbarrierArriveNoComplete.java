package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
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
 * {@code mbarrier.arrive.noComplete}: arrives n times where that does not complete the phase. Inputs, in order:
 * {@code mbar, count}. Result: {@code [token]}.
 *
 * <p>That the phase stays incomplete is the program's promise; breaking it is undefined.
 *
 * @param kind whether the barrier's later phases expect one arrival less
 * @param order what the arrival orders, and for whom
 * @param space where the barrier is
 * @param result whether the token of the phase is wanted; a barrier of another block gives none
 */
@About(section = "mbarrier.arrive", role = StepRole.ARRIVAL,
        summary = "arrives n times where that must not complete the phase")
public record MbarrierArriveNoComplete(
        ArriveOp kind, ArriveOrder order, Space space, ArriveResult result)
        implements MbarrierArrival {
    public MbarrierArriveNoComplete {
        NotNull.all("kind, order, space, result", kind, order, space, result);
        Require.space("mbarrier." + kind.text() + ".noComplete", space, Require.OWN_SHARED,
                MbarrierArriveNoComplete.class);
        result.require("mbarrier." + kind.text() + ".noComplete", space, MbarrierArriveNoComplete.class);
        if (order != ArriveOrder.DEFAULT && order != ArriveOrder.RELEASE_CTA) {
            throw new IllegalFormException("mbarrier." + kind.text() + ".noComplete is .release.cta, got "
                    + order.text(), MbarrierArriveNoComplete.class);
        }
    }

    /** The form for the block's own shared memory that returns the token. */
    public MbarrierArriveNoComplete() {
        this(ArriveOp.ARRIVE, ArriveOrder.DEFAULT, Space.SHARED_CTA, ArriveResult.TOKEN);
    }

    /** Counting for this phase, or for the later ones too. */
    public MbarrierArriveNoComplete withKind(ArriveOp kind) {
        return new MbarrierArriveNoComplete(kind, order, space, result);
    }

    /** This form with a memory order. */
    public MbarrierArriveNoComplete withOrder(ArriveOrder order) {
        return new MbarrierArriveNoComplete(kind, order, space, result);
    }

    /** At a barrier in this space. */
    public MbarrierArriveNoComplete withSpace(Space space) {
        return new MbarrierArriveNoComplete(kind, order, space, result);
    }

    /** This form with the token of the phase as its result, or the sink. */
    public MbarrierArriveNoComplete withResult(ArriveResult result) {
        return new MbarrierArriveNoComplete(kind, order, space, result);
    }

    @Override
    public Form form() {
        return result.first(FormBuilder.form("mbarrier").with("." + kind.text()).with(".noComplete").with(order)
                .with(space).with(".b64"))
                .operand(Operands.destination(space, "mbar")).operand("count", Operand.Kind.U32)
                .named("mbarrier_" + kind.text() + "_no_complete" + order.suffix() + Ptx.suffix(space)
                        + result.suffix())
                .needs(order.gate().and(Gates.of(space)).and(result.gate(kind)),
                        EffectsBuilder.of(Completion.AT_ONCE, updates("mbar", Proxy.GENERIC, bytes(8)))
                                .ordered(order.semantics(), order.scope()));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }
}
