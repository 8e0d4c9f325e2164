package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code tensormap.cp_fenceproxy}: a whole warp copies a tensor map from shared to global memory and makes it known to the copy engine.
 *
 * <p>Copy and release in one, for every thread of the GPU. All threads of the warp execute it together.
 */
public record TensormapCpFenceproxy() implements PtxInstruction {

    @Override
    public String opcode() {
        return "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Ptx.GLOBAL_DST, Ptx.SHARED_SRC);
    }

    @Override
    public String operandText() {
        return "[%dst%], [%src%], 128";
    }

    @Override
    public PtxVersion since() {
        return Ptx.V8_3;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90;
    }

    @Override
    public String summary() {
        return "a whole warp copies a tensor map from shared to global memory and makes it known to the copy engine";
    }

    @Override
    public String functionName() {
        return "tensormap_cp_fenceproxy";
    }
}
