package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code fence.mbarrier_init}: makes freshly initialised barriers known to the asynchronous proxy and to the cluster.
 */
public record FenceMbarrierInit() implements PtxInstruction {

    @Override
    public String opcode() {
        return "fence.mbarrier_init.release.cluster";
    }

    @Override
    public List<Operand> operands() {
        return List.of();
    }

    @Override
    public String operandText() {
        return "";
    }

    @Override
    public PtxVersion since() {
        return Ptx.V8_0;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90;
    }

    @Override
    public String summary() {
        return "makes freshly initialised barriers known to the asynchronous proxy and to the cluster";
    }

    @Override
    public String functionName() {
        return "fence_mbarrier_init";
    }
}
