package dev.tilewright.ptx.cluster;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;

/**
 * {@code clusterlaunchcontrol.try_cancel}: asks that a cluster not yet launched be cancelled, so that this one does its
 * work; 16 bytes of answer are counted on an mbarrier. Inputs, in order: {@code answer, mbar}.
 *
 * @param shared whether addresses are written as ones in .shared::cta; else they are generic
 * @param multicast whether every block of the cluster gets the answer
 */
@About(section = "clusterlaunchcontrol.try_cancel", role = StepRole.OTHER,
        summary = "asks that a cluster not yet launched be cancelled, so that this one does its work")
public record ClusterLaunchControlTryCancel(boolean shared, boolean multicast) implements ClusterInstruction {
    /** At generic addresses, for this block. */
    public ClusterLaunchControlTryCancel() {
        this(false, false);
    }

    /** At addresses in .shared::cta. */
    public ClusterLaunchControlTryCancel withShared() {
        return new ClusterLaunchControlTryCancel(true, multicast);
    }

    /** This form with the answer for every block of the cluster. */
    public ClusterLaunchControlTryCancel withMulticast() {
        return new ClusterLaunchControlTryCancel(shared, true);
    }

    @Override
    public Form form() {
        Space space = shared ? Space.SHARED_CTA : Space.GENERIC;
        return FormBuilder.form("clusterlaunchcontrol.try_cancel.async").with(space).with(Ptx.MBARRIER_BYTES)
                .withIf(multicast, ".multicast::cluster::all").with(".b128")
                .operand(Operands.destination(space, "answer")).operand(Operands.destination(space, "mbar"))
                .needs(multicast ? Gates.BLACKWELL_FAMILIES_AND_CONSUMER : Gates.BLACKWELL,
                        Completion.MBARRIER,
                        writes("answer", Proxy.ASYNC, bytes(16)), updates("mbar", Proxy.ASYNC, bytes(8)));
    }

    /** The instruction runs by its documents. */
    @Override
    public Evidence evidence() {
        return Evidence.DOCUMENTED;
    }
}
