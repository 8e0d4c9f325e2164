package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code mbarrier.try_wait.parity}: says whether the phase of this parity has completed, after waiting for a while.
 */
public record MbarrierTryWaitParity() implements PtxInstruction {

    @Override
    public String opcode() {
        return "mbarrier.try_wait.parity.shared::cta.b64";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Operand.of("done", Operand.Kind.PREDICATE_OUT), Ptx.MBARRIER, Operand.of("parity", Operand.Kind.U32));
    }

    @Override
    public String operandText() {
        return "%done%, [%mbar%], %parity%";
    }

    @Override
    public PtxVersion since() {
        return Ptx.V7_8;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90;
    }

    @Override
    public String summary() {
        return "says whether the phase of this parity has completed, after waiting for a while";
    }

    @Override
    public String functionName() {
        return "mbarrier_try_wait_parity";
    }
}
