package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code mbarrier.init}: makes a barrier that a phase of so many arrivals completes.
 */
public record MbarrierInit() implements PtxInstruction {

    @Override
    public String opcode() {
        return "mbarrier.init.shared::cta.b64";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Ptx.MBARRIER, Operand.of("arrivals", Operand.Kind.U32));
    }

    @Override
    public String operandText() {
        return "[%mbar%], %arrivals%";
    }

    @Override
    public PtxVersion since() {
        return Ptx.V7_8;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_80;
    }

    @Override
    public String summary() {
        return "makes a barrier that a phase of so many arrivals completes";
    }

    @Override
    public String functionName() {
        return "mbarrier_init";
    }
}
