package dev.tilewright.program;

import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Token;
import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import java.util.Map;
import java.util.Objects;

/** Options of an arrival at an mbarrier that announces bytes. */
public final class ArriveExpectTxStep extends IssuedStep<MbarrierArriveExpectTx> {
    ArriveExpectTxStep(ThreadSteps body, MbarrierArriveExpectTx form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /** Sets what the arrival orders, and for which threads. */
    public ArriveExpectTxStep order(ArriveOrder order) {
        Objects.requireNonNull(order, "order");
        revise(form().withOrder(order));
        return this;
    }

    /** Leaves the barrier: its later phases expect one arrival fewer. */
    public ArriveExpectTxStep drop() {
        revise(form().withKind(ArriveOp.ARRIVE_DROP));
        return this;
    }

    /** Names the phase that it arrived in. */
    public Token token(String name) {
        Objects.requireNonNull(name, "name");
        return new Token(result(name));
    }
}
