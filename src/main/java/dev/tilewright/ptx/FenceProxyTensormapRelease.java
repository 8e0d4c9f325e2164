package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code fence.proxy.tensormap (release)}: makes tensor maps that this thread wrote by ordinary stores known to the copy engine.
 *
 * <p>For maps that are not published by {@link TensormapCpFenceproxy}, which does it too.
 */
public record FenceProxyTensormapRelease() implements PtxInstruction {

    @Override
    public String opcode() {
        return "fence.proxy.tensormap::generic.release.gpu";
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
        return Ptx.V8_3;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90;
    }

    @Override
    public String summary() {
        return "makes tensor maps that this thread wrote by ordinary stores known to the copy engine";
    }

    @Override
    public String functionName() {
        return "fence_proxy_tensormap_release";
    }
}
