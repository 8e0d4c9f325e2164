package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code fence.proxy.tensormap (acquire)}: makes this thread's later copies use the tensor map as it was last made known.
 *
 * <p>Without it a copy may use what the tensor map held before.
 */
public record FenceProxyTensormapAcquire() implements PtxInstruction {

    @Override
    public String opcode() {
        return "fence.proxy.tensormap::generic.acquire.gpu";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Operand.of("map", Operand.Kind.GLOBAL_ADDRESS));
    }

    @Override
    public String operandText() {
        return "[%map%], 128";
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
        return "makes this thread's later copies use the tensor map as it was last made known";
    }

    @Override
    public String functionName() {
        return "fence_proxy_tensormap_acquire";
    }
}
