package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code mbarrier.try_wait}: says whether the phase that the token names has completed, after waiting for a while.
 */
public record MbarrierTryWait() implements PtxInstruction {

    @Override
    public String opcode() {
        return "mbarrier.try_wait.shared::cta.b64";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Operand.of("done", Operand.Kind.PREDICATE_OUT), Ptx.MBARRIER, Operand.of("token", Operand.Kind.TOKEN));
    }

    @Override
    public String operandText() {
        return "%done%, [%mbar%], %token%";
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
        return "says whether the phase that the token names has completed, after waiting for a while";
    }

    @Override
    public String functionName() {
        return "mbarrier_try_wait";
    }
}
