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
 * {@code mbarrier.arrive}, {@code mbarrier.arrive_drop}: arrives at an mbarrier, once or n times. Inputs, in order:
 * {@code mbar, [count]}. Result: {@code [token]}.
 *
 * @param kind whether the barrier's later phases expect one arrival less
 * @param order what the arrival orders, and for whom
 * @param space where the barrier is
 * @param result whether the token of the phase is wanted; a barrier of another block gives none
 * @param count whether a number of arrivals follows; else it is one
 */
@About(section = "mbarrier.arrive", role = StepRole.ARRIVAL,
        summary = "arrives at an mbarrier, once or n times; arrive_drop also leaves it for the later phases")
public record MbarrierArrive(
        ArriveOp kind, ArriveOrder order, Space space, ArriveResult result, boolean count)
        implements MbarrierArrival {
    public MbarrierArrive {
        NotNull.all("kind, order, space, result", kind, order, space, result);
        Require.space("mbarrier." + kind.text(), space, Require.ANY_SHARED, MbarrierArrive.class);
        result.require("mbarrier." + kind.text(), space, MbarrierArrive.class);
    }

    /** One arrival in the block's own shared memory that hands out the token. */
    public MbarrierArrive() {
        this(ArriveOp.ARRIVE, ArriveOrder.DEFAULT, Space.SHARED_CTA, ArriveResult.TOKEN, false);
    }

    /** Counting for this phase, or for the later ones too. */
    public MbarrierArrive withKind(ArriveOp kind) {
        return new MbarrierArrive(kind, order, space, result, count);
    }

    /** This form with a memory order. */
    public MbarrierArrive withOrder(ArriveOrder order) {
        return new MbarrierArrive(kind, order, space, result, count);
    }

    /** At a barrier in this space; that of another block hands out no token, so that the sink stands in its place. */
    public MbarrierArrive withSpace(Space space) {
        return new MbarrierArrive(kind, order, space, result.where(space), count);
    }

    /** This form with the token of the phase as its result, or the sink. */
    public MbarrierArrive withResult(ArriveResult result) {
        return new MbarrierArrive(kind, order, space, result, count);
    }

    /** This form with a number of arrivals. */
    public MbarrierArrive withCount() {
        return new MbarrierArrive(kind, order, space, result, true);
    }

    @Override
    public Form form() {
        return result.first(FormBuilder.form("mbarrier").with("." + kind.text()).with(order).with(space).with(".b64"))
                .operand(Operands.destination(space, "mbar")).operandIf(count, "count", Operand.Kind.U32)
                .named("mbarrier_" + kind.text() + "" + order.suffix() + Ptx.suffix(space) + result.suffix()
                        + (count ? "_counted" : ""))
                .needs((count ? Gates.HOPPER_FIRST : Gates.AMPERE).and(order.gate()).and(Gates.ofBarrierIn(space))
                        .and(result.gate(kind)),
                        EffectsBuilder.of(Completion.AT_ONCE, updates("mbar", Proxy.GENERIC, bytes(8)))
                                .ordered(order.semantics(), order.scope()));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }

    @Override
    public String summary() {
        return (count ? "arrives n times" : "arrives once")
                + (kind == ArriveOp.ARRIVE_DROP ? ", also for the later phases, which expect that much less" : "")
                + (result == ArriveResult.TOKEN ? ", and returns a token of the phase it arrived in" : "");
    }
}
