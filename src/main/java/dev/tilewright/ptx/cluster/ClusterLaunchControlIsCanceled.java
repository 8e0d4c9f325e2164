package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code clusterlaunchcontrol.query_cancel.is_canceled}: says whether the answer of try_cancel is a cancelled cluster.
 * Inputs, in order: {@code answer}. Result: {@code canceled}.
 */
@About(section = "clusterlaunchcontrol.query_cancel", role = StepRole.OTHER,
        summary = "says whether the answer of try_cancel is a cancelled cluster")
public record ClusterLaunchControlIsCanceled() implements ClusterInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128")
                .operand("canceled", Operand.Kind.PREDICATE_OUT)
                .operand("answer", Operand.Kind.U128)
                .needs(Gates.BLACKWELL);
    }

    /** The instruction runs by its documents. */
    @Override
    public Evidence evidence() {
        return Evidence.DOCUMENTED;
    }
}
