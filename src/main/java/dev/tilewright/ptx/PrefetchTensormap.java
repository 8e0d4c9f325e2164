package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code prefetch.tensormap}: brings a tensor map near the copy engine before its first use.
 *
 * <p>The map is a kernel parameter or lies in global memory; the address is a generic one.
 */
public record PrefetchTensormap() implements PtxInstruction {

    @Override
    public String opcode() {
        return "prefetch.tensormap";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Operand.of("map", Operand.Kind.GLOBAL_ADDRESS));
    }

    @Override
    public String operandText() {
        return "[%map%]";
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
        return "brings a tensor map near the copy engine before its first use";
    }

    @Override
    public String functionName() {
        return "prefetch_tensormap";
    }
}
