package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code mbarrier.arrive.expect_tx}: announces so many more bytes for this phase, then arrives once.
 */
public record MbarrierArriveExpectTx() implements PtxInstruction {

    @Override
    public String opcode() {
        return "mbarrier.arrive.expect_tx.shared::cta.b64";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Operand.of("token", Operand.Kind.TOKEN_OUT), Ptx.MBARRIER, Ptx.BYTES);
    }

    @Override
    public String operandText() {
        return "%token%, [%mbar%], %bytes%";
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
        return "announces so many more bytes for this phase, then arrives once";
    }

    @Override
    public String functionName() {
        return "mbarrier_arrive_expect_tx";
    }
}
