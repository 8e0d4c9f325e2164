package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Objects;

/**
 * {@code barrier.cluster.arrive}: arrives at the barrier of the cluster without waiting.
 *
 * @param order what the arrival orders for the cluster
 * @param aligned whether all threads of the warp perform it together
 */
@About(section = "barrier.cluster", role = StepRole.SYNC,
        summary = "arrives at the barrier of the cluster without waiting")
public record BarrierClusterArrive(Order order, boolean aligned) implements ClusterInstruction {
    public BarrierClusterArrive {
        Objects.requireNonNull(order, "order");
    }

    /** The memory order of the arrival. */
    public enum Order implements Qualifier {
        /** Not written, which means release. */
        DEFAULT, RELEASE, RELAXED
    }

    /** The form without optional qualifiers. */
    public BarrierClusterArrive() {
        this(Order.DEFAULT, false);
    }

    /** This form with a memory order. */
    public BarrierClusterArrive withOrder(Order order) {
        return new BarrierClusterArrive(order, aligned);
    }

    /** Performed by all threads of the warp together. */
    public BarrierClusterArrive withAligned() {
        return new BarrierClusterArrive(order, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("barrier.cluster.arrive").with(order).withIf(aligned, ".aligned")
                .needs(order == Order.DEFAULT ? Gates.HOPPER_FIRST : Gates.HOPPER,
                        EffectsBuilder.nothing().ordered(order == Order.RELAXED ? Semantics.RELAXED : Semantics.RELEASE,
                                Scope.CLUSTER));
    }
}
