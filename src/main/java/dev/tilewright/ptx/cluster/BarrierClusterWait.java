package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code barrier.cluster.wait}: waits until every thread of the cluster has arrived.
 *
 * @param acquire whether .acquire is written; it acquires either way
 * @param aligned whether all threads of the warp perform it together
 */
@About(section = "barrier.cluster", role = StepRole.SYNC,
        summary = "waits until every thread of the cluster has arrived")
public record BarrierClusterWait(boolean acquire, boolean aligned) implements ClusterInstruction {
    /** The form without optional qualifiers. */
    public BarrierClusterWait() {
        this(false, false);
    }

    /** This form with .acquire written. */
    public BarrierClusterWait withAcquire() {
        return new BarrierClusterWait(true, aligned);
    }

    /** Performed by all threads of the warp together. */
    public BarrierClusterWait withAligned() {
        return new BarrierClusterWait(acquire, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("barrier.cluster.wait").withIf(acquire, ".acquire").withIf(aligned, ".aligned")
                .needs(acquire ? Gates.HOPPER : Gates.HOPPER_FIRST,
                        EffectsBuilder.waitingFor(Effects.Wait.CLUSTER_BARRIER)
                        .ordered(Semantics.ACQUIRE, Scope.CLUSTER));
    }
}
