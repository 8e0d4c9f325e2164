package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code mbarrier.arrive}: arrives once, and gives a token of the phase it arrived in.
 */
public record MbarrierArrive() implements PtxInstruction {

    @Override
    public String opcode() {
        return "mbarrier.arrive.shared::cta.b64";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Operand.of("token", Operand.Kind.TOKEN_OUT), Ptx.MBARRIER);
    }

    @Override
    public String operandText() {
        return "%token%, [%mbar%]";
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
        return "arrives once, and gives a token of the phase it arrived in";
    }

    @Override
    public String functionName() {
        return "mbarrier_arrive";
    }
}
