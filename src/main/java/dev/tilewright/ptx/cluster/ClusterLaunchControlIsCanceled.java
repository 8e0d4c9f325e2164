package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;

/**
 * {@code clusterlaunchcontrol.query_cancel.is_canceled}: says whether the answer of try_cancel is a cancelled cluster.
 * Inputs, in order: {@code answer}. Result: {@code canceled}.
 */
@About(section = "clusterlaunchcontrol.query_cancel",
        summary = "says whether the answer of try_cancel is a cancelled cluster")
public record ClusterLaunchControlIsCanceled() implements ClusterInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128")
                .operand(Operands.of("canceled", Operand.Kind.PREDICATE_OUT))
                .operand(Operands.of("answer", Operand.Kind.U128))
                .needs(Gates.BLACKWELL, EffectsBuilder.nothing());
    }

    /** The instruction runs by its documents. */
    @Override
    public Evidence evidence() {
        return Evidence.DOCUMENTED;
    }
}
