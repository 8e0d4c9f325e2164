package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code mbarrier.expect_tx}: announces so many more bytes for this phase, without arriving.
 */
public record MbarrierExpectTx() implements PtxInstruction {

    @Override
    public String opcode() {
        return "mbarrier.expect_tx.relaxed.cta.shared::cta.b64";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Ptx.MBARRIER, Ptx.BYTES);
    }

    @Override
    public String operandText() {
        return "[%mbar%], %bytes%";
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
        return "announces so many more bytes for this phase, without arriving";
    }

    @Override
    public String functionName() {
        return "mbarrier_expect_tx";
    }
}
